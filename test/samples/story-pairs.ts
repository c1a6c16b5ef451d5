/**
 * Forty-four pairs of texts, written by hand before there was a measure, for the figures in docs/internals/links-and-completions.md. `same` is
 * what an editor would say: is the second text the same item of news, copied, cut, extended or slightly reworded? Another report
 * about the same subject is none, nor is another event in the same words.
 */
export type StoryPair = { what: string; lang: string; same: boolean; left: string; right: string };

export const STORY_PAIRS: readonly StoryPair[] = [
  // One story.
  {
    what: 'a headline with its source',
    lang: 'en',
    same: true,
    left: 'City council votes to close the Harbour Street bridge for two years from January',
    right:
      'City council votes to close the Harbour Street bridge for two years from January – Vellmar Courier https://courier.example/bridge',
  },
  {
    what: 'a repost',
    lang: 'en',
    same: true,
    left: 'The last night train to Karstheim leaves on 12 December. After that, only buses. Nobody asked us.',
    right:
      'RT @railwatch: The last night train to Karstheim leaves on 12 December. After that, only buses. Nobody asked us.',
  },
  {
    what: 'one word replaced',
    lang: 'en',
    same: true,
    left: 'Thieves broke into the maritime museum last night and took a golden compass worth two million crowns',
    right:
      'Thieves broke into the maritime museum last night and stole a golden compass worth two million crowns',
  },
  {
    what: 'cut off',
    lang: 'en',
    same: true,
    left: 'Water in the northern districts must be boiled until Friday after a pump failed at the Lenn reservoir, the utility said this morning. Schools stay open.',
    right:
      'Water in the northern districts must be boiled until Friday after a pump failed at the Lenn reservoir, the utility…',
  },
  {
    what: 'a remark in front',
    lang: 'en',
    same: true,
    left: 'Hospital cancels all planned operations this week because of a cyberattack on its booking system',
    right:
      'Unbelievable: Hospital cancels all planned operations this week because of a cyberattack on its booking system',
  },
  {
    what: 'a remark behind, and hashtags',
    lang: 'en',
    same: true,
    left: 'Ferry operator announces free rides on Sundays for everyone under 18 starting next month',
    right:
      'Ferry operator announces free rides on Sundays for everyone under 18 starting next month. About time! #ferries #families',
  },
  {
    what: 'a figure updated',
    lang: 'en',
    same: true,
    left: 'Rescue teams have found 25 people alive under the collapsed market hall in Ostry, the mayor said on Monday evening',
    right:
      'Rescue teams have found 31 people alive under the collapsed market hall in Ostry, the mayor said on Monday evening',
  },
  {
    what: 'a headline in title case, with entities',
    lang: 'en',
    same: true,
    left: 'Tram Drivers &amp; Mechanics Strike on Thursday: No Service Between 3 AM and Noon',
    right: 'tram drivers & mechanics strike on thursday: no service between 3 am and noon',
  },
  {
    what: 'two words changed in a long text',
    lang: 'en',
    same: true,
    left: 'The regulator has fined the airline 4.2 million for refusing refunds to passengers whose flights were cancelled during the storm. The airline says it will appeal.',
    right:
      'The regulator fined the airline 4.2 million for refusing refunds to passengers whose flights were cancelled during the storm. The carrier says it will appeal.',
  },
  {
    what: 'a headline of an agency, adapted',
    lang: 'de',
    same: true,
    left: 'Bahn streicht ab Dezember den Nachtzug zwischen Hamburg und Wien – Fahrgastverband protestiert',
    right: 'Bahn streicht ab Dezember Nachtzug zwischen Hamburg und Wien, Fahrgastverband protestiert',
  },
  {
    what: 'a repost with a remark',
    lang: 'de',
    same: true,
    left: 'Nach dem Wasserrohrbruch bleibt die Innenstadt von Kassel bis Mittwoch für Autos gesperrt, teilt die Polizei mit.',
    right:
      'Achtung! Nach dem Wasserrohrbruch bleibt die Innenstadt von Kassel bis Mittwoch für Autos gesperrt, teilt die Polizei mit. Bitte teilen',
  },
  {
    what: 'umlauts and quotation marks written differently',
    lang: 'de',
    same: true,
    left: 'Minister: „Die Brücke wird nicht vor 2029 fertig“ – Kosten steigen auf 310 Millionen Euro',
    right: 'Minister: "Die Brücke wird nicht vor 2029 fertig" - Kosten steigen auf 310 Millionen Euro',
  },
  {
    what: 'a headline with its newspaper',
    lang: 'fr',
    same: true,
    left: 'Grève dans les transports : aucun métro ne circulera jeudi à Lyon, préviennent les syndicats',
    right:
      'Grève dans les transports : aucun métro ne circulera jeudi à Lyon, préviennent les syndicats | Le Progrès',
  },
  {
    what: 'one word replaced',
    lang: 'fr',
    same: true,
    left: "Un incendie a détruit cette nuit l'ancienne gare de Saint-Aubin, aucun blessé selon les pompiers",
    right:
      "Un incendie a ravagé cette nuit l'ancienne gare de Saint-Aubin, aucun blessé selon les pompiers",
  },
  {
    what: 'cut off',
    lang: 'es',
    same: true,
    left: 'El ayuntamiento prohibirá los patinetes eléctricos en el casco antiguo a partir del 1 de marzo, con multas de hasta 200 euros',
    right: 'El ayuntamiento prohibirá los patinetes eléctricos en el casco antiguo a partir del 1 de marzo…',
  },
  {
    what: 'a remark and a mention',
    lang: 'es',
    same: true,
    left: 'Confirmado: el concierto de esta noche en el estadio queda cancelado por la tormenta y se devolverán las entradas',
    right:
      '@lucia mira esto. Confirmado: el concierto de esta noche en el estadio queda cancelado por la tormenta y se devolverán las entradas',
  },
  {
    what: 'a headline with its newspaper',
    lang: 'ja',
    same: true,
    left: '夜行列車が来年三月で廃止へ、利用者の減少が理由と鉄道会社が発表',
    right: '夜行列車が来年三月で廃止へ、利用者の減少が理由と鉄道会社が発表【中央新聞】',
  },
  {
    what: 'a remark in front',
    lang: 'ja',
    same: true,
    left: '市立美術館から盗まれた絵画三点が港の倉庫で見つかり、警察が男二人を逮捕した',
    right: 'びっくり！市立美術館から盗まれた絵画三点が港の倉庫で見つかり、警察が男二人を逮捕した',
  },
  {
    what: 'one word replaced',
    lang: 'zh',
    same: true,
    left: '市政府宣布明年一月起关闭港口大桥两年进行全面维修，公交线路将绕行',
    right: '市政府宣布明年一月起封闭港口大桥两年进行全面维修，公交线路将绕行',
  },
  {
    what: 'a headline with its newspaper',
    lang: 'ru',
    same: true,
    left: 'В Карстхайме из-за аварии на подстанции без света остались двенадцать тысяч домов',
    right: 'В Карстхайме из-за аварии на подстанции без света остались двенадцать тысяч домов — Вестник',
  },
  {
    what: 'a repost with a remark',
    lang: 'pt',
    same: true,
    left: 'Câmara aprova passe gratuito para estudantes em todos os autocarros da cidade a partir de setembro',
    right:
      'Finalmente! Câmara aprova passe gratuito para estudantes em todos os autocarros da cidade a partir de setembro',
  },
  {
    what: 'one word replaced',
    lang: 'ar',
    same: true,
    left: 'أعلنت البلدية إغلاق جسر الميناء لمدة عامين ابتداء من شهر يناير لإجراء أعمال الصيانة',
    right: 'قررت البلدية إغلاق جسر الميناء لمدة عامين ابتداء من شهر يناير لإجراء أعمال الصيانة',
  },
  // Not one story.
  {
    what: 'another report about the same subject',
    lang: 'en',
    same: false,
    left: 'City council votes to close the Harbour Street bridge for two years from January',
    right: 'Shops on Harbour Street fear for their customers when the bridge closes in January',
  },
  {
    what: 'the opposite outcome',
    lang: 'en',
    same: false,
    left: 'Judge allows the demonstration on Market Square after police had banned it on Tuesday',
    right: 'Police ban a demonstration on Market Square, organizers go to court on Wednesday morning',
  },
  {
    what: 'an automatic report of another place and time',
    lang: 'en',
    same: false,
    left: 'Line 9 delayed by 10 minutes at Central Station because of a signal failure',
    right: 'Line 4 delayed by 35 minutes at Old Harbour because of a fallen tree',
  },
  {
    what: 'an automatic weather report of another town',
    lang: 'en',
    same: false,
    left: 'Weather in Vellmar today: sunny, 24 degrees, wind from the west at 12 km/h',
    right: 'Weather in Karstheim today: rain, 17 degrees, gusts from the north at 48 km/h',
  },
  {
    what: 'a greeting',
    lang: 'en',
    same: false,
    left: 'Good morning everyone, have a great day!',
    right: 'Good morning everyone, have a great day!',
  },
  {
    what: 'a quote with an opinion of its own',
    lang: 'en',
    same: false,
    left: 'The last night train to Karstheim leaves on 12 December. After that, only buses. Nobody asked us.',
    right:
      'I took the night train to Karstheim every month for eleven years, and it was never empty. This is a political decision, not an economic one.',
  },
  {
    what: 'the same beginning, another event',
    lang: 'en',
    same: false,
    left: 'Breaking news: police confirm that a suspect has been arrested in the museum theft case',
    right: 'Breaking news: police confirm that three people were injured in a crash on the ring road',
  },
  {
    what: 'a price ticker',
    lang: 'en',
    same: false,
    left: 'Copper rose 1.2 % to 9,431 a tonne on Monday as stocks in Rotterdam fell',
    right: 'Wheat fell 0.8 % to 214 a bushel on Friday after rain in the plains',
  },
  {
    what: 'the same question to somebody else',
    lang: 'en',
    same: false,
    left: 'Does anyone know whether the ferry to Lenn takes bicycles on weekends?',
    right: 'Does anyone know where to park near the ferry to Lenn during the festival?',
  },
  {
    what: 'another match of the same league',
    lang: 'en',
    same: false,
    left: 'Full time: Vellmar Rovers 2, Ostry United 1. Late winner by Sandoval in front of 18,400.',
    right: 'Full time: Karstheim Athletic 0, Lenn Harbour 0. Both sides down to ten men.',
  },
  {
    what: 'another report about the same subject',
    lang: 'de',
    same: false,
    left: 'Bahn streicht ab Dezember den Nachtzug zwischen Hamburg und Wien – Fahrgastverband protestiert',
    right: 'Warum sich Nachtzüge trotz voller Betten für die Bahn kaum rechnen: eine Analyse',
  },
  {
    what: 'an automatic report of another road',
    lang: 'de',
    same: false,
    left: 'A7 Richtung Hannover: Unfall zwischen Kassel-Nord und Lutterberg, 6 km Stau',
    right: 'A44 Richtung Dortmund: Baustelle zwischen Warburg und Diemelstadt, 3 km Stau',
  },
  {
    what: 'another strike',
    lang: 'fr',
    same: false,
    left: 'Grève dans les transports : aucun métro ne circulera jeudi à Lyon, préviennent les syndicats',
    right: 'Grève dans les écoles : une classe sur trois fermée mardi à Marseille, selon le rectorat',
  },
  {
    what: 'another report about the same fire',
    lang: 'fr',
    same: false,
    left: "Un incendie a détruit cette nuit l'ancienne gare de Saint-Aubin, aucun blessé selon les pompiers",
    right: "Gare de Saint-Aubin : l'enquête privilégie la piste criminelle après le sinistre, dit la procureure",
  },
  {
    what: 'another rule of the same council',
    lang: 'es',
    same: false,
    left: 'El ayuntamiento prohibirá los patinetes eléctricos en el casco antiguo a partir del 1 de marzo',
    right: 'El ayuntamiento ampliará las zonas verdes en el barrio del puerto con un presupuesto de dos millones',
  },
  {
    what: 'another earthquake, by the same robot',
    lang: 'es',
    same: false,
    left: 'Sismo de magnitud 4.1 a 23 km al norte de Ostry, profundidad 10 km, sin alerta de tsunami',
    right: 'Sismo de magnitud 5.6 a 140 km al sureste de Lenn, profundidad 33 km, en evaluación',
  },
  {
    what: 'another report about the same museum',
    lang: 'ja',
    same: false,
    left: '市立美術館から盗まれた絵画三点が港の倉庫で見つかり、警察が男二人を逮捕した',
    right: '市立美術館の新しい館長に就任した山田さんは、来年の夏に大規模な展覧会を開くと話した',
  },
  {
    what: 'another line',
    lang: 'ja',
    same: false,
    left: '東西線は信号故障のため現在運転を見合わせています。再開は十時ごろの見込みです',
    right: '南北線は強風の影響で一部列車に遅れが出ています。振替輸送は行っていません',
  },
  {
    what: 'another report about the same bridge',
    lang: 'zh',
    same: false,
    left: '市政府宣布明年一月起关闭港口大桥两年进行全面维修，公交线路将绕行',
    right: '港口大桥附近的商户担心封路会影响生意，希望市政府给予补贴',
  },
  {
    what: 'another outage',
    lang: 'ru',
    same: false,
    left: 'В Карстхайме из-за аварии на подстанции без света остались двенадцать тысяч домов',
    right: 'В Веллмаре из-за ремонта теплотрассы до пятницы отключат горячую воду в трёх районах',
  },
  {
    what: 'a word and an emoji',
    lang: 'pt',
    same: false,
    left: 'Finalmente! 🎉',
    right: 'Finalmente! 🎉',
  },
  {
    what: 'another decision of the same council',
    lang: 'ar',
    same: false,
    left: 'أعلنت البلدية إغلاق جسر الميناء لمدة عامين ابتداء من شهر يناير لإجراء أعمال الصيانة',
    right: 'وافقت البلدية على ميزانية العام المقبل مع زيادة مخصصات المدارس والحدائق العامة',
  },
];
