// What a page can do once it is there. Everything is readable without it.
document.documentElement.classList.add('scripted');
