/**
 * Paraphrases that models make of sources, written by hand: honest ones, and sentences that keep some words of the
 * source and say something else. For the figures of docs/internals/decisions.md. The queries are those of the sandbox.
 */
export type Retelling = { prompt: string; source: string; said: string };

const FERRY =
  'The ferry line says that 1,250 passengers are waiting in port because the storm closed the strait until Monday.';
const LAMP =
  'Volunteers repaired the old lamp of the Skarholm lighthouse during the spring and painted the stairs; it opens every Sunday.';
const BIKES =
  'The city council approved 340 new parking places for cargo bikes near schools, after a two-year trial cut car trips by 18 percent.';
const TIDE =
  'Engineers at the Pentland test site report that the third tidal turbine reached 2 megawatts, less than the 2.4 megawatts they had planned.';
const TRAIN =
  'Night trains between Vellmar and Paris return in December, the operator announced, with three departures a week and bikes allowed on board.';
const BEES =
  'Beekeepers on the rooftops of Lisbon lost about a third of their colonies last winter; most blame the mild weather and mites.';
const SEED =
  'The seed bank in Aarhus received 12,000 samples of barley from Ethiopia, its largest delivery in ten years.';
const LANDER =
  'The lunar lander sent its first pictures from the crater rim after engineers restarted its radio twice.';
const BREAD =
  'My sourdough starter doubled in four hours after I moved it next to the oven and fed it rye flour.';
const RACE =
  'Rain stopped the rowing race of the harbour festival before noon, and the brass band played under the bridge instead.';
const WAHL =
  'Die Bürgermeisterin von Vellmar gewann die Wahl mit 52 Prozent der Stimmen, vor dem Kandidaten der Opposition.';
const MARCHE =
  'Le marché de Noël ouvre vendredi sur la place du port, avec soixante stands et une patinoire gratuite pour les enfants.';
const MUSEO =
  'El museo del puerto abrirá por la noche durante el festival, y la entrada será gratuita para los vecinos del barrio.';
const YAKO = '夜行列車は十二月から毎日運行されると鉄道会社が発表しました。';

export const HONEST: readonly Retelling[] = [
  { prompt: 'ferry', source: FERRY, said: 'In port 1250 passengers are waiting for the ferry.' },
  {
    prompt: 'ferry',
    source: FERRY,
    said: 'A storm has closed the strait until Monday, leaving 1,250 passengers waiting.',
  },
  {
    prompt: 'ferry storm',
    source: FERRY,
    said: 'The ferry line reports 1,250 waiting passengers while the strait stays closed.',
  },
  {
    prompt: 'ferry',
    source: FERRY,
    said: 'More than a thousand ferry passengers are stuck in port because of the storm.',
  },
  {
    prompt: 'lighthouse',
    source: LAMP,
    said: 'Visitors can see the Skarholm lighthouse every Sunday after volunteers repaired its lamp.',
  },
  {
    prompt: 'lighthouse',
    source: LAMP,
    said: 'The lamp of the lighthouse was repaired by volunteers in spring.',
  },
  {
    prompt: 'lighthouse',
    source: LAMP,
    said: 'Volunteers restored the old lamp at Skarholm and gave the stairs new paint.',
  },
  {
    prompt: 'cargo bikes',
    source: BIKES,
    said: 'The council approved 340 parking places for cargo bikes close to schools.',
  },
  { prompt: 'cargo bikes', source: BIKES, said: 'A two-year trial reduced car trips by 18 percent.' },
  {
    prompt: 'cargo bikes',
    source: BIKES,
    said: 'After a trial that cut car trips by 18 %, the city will add 340 parking places near schools.',
  },
  {
    prompt: 'tidal power',
    source: TIDE,
    said: 'The third turbine at the Pentland test site reached 2 megawatts instead of the planned 2.4.',
  },
  {
    prompt: 'tidal power',
    source: TIDE,
    said: 'Engineers say the tidal turbine stays below the planned 2.4 megawatts.',
  },
  {
    prompt: 'tidal power',
    source: TIDE,
    said: 'At Pentland, a tidal turbine reached two megawatts, engineers report.',
  },
  {
    prompt: 'night trains in europe',
    source: TRAIN,
    said: 'Night trains from Vellmar to Paris will return in December.',
  },
  {
    prompt: 'night trains in europe',
    source: TRAIN,
    said: 'The operator plans three departures a week and will allow bikes on board.',
  },
  {
    prompt: 'night trains in europe',
    source: TRAIN,
    said: 'Three night trains a week are to run between Paris and Vellmar from December, the operator announced.',
  },
  {
    prompt: 'rooftop beekeeping',
    source: BEES,
    said: 'Rooftop beekeepers in Lisbon lost roughly a third of their colonies last winter.',
  },
  {
    prompt: 'rooftop beekeeping',
    source: BEES,
    said: 'Mild weather and mites are blamed for the lost colonies.',
  },
  {
    prompt: 'rooftop beekeeping',
    source: BEES,
    said: 'Most of the Lisbon beekeepers put the losses down to mites and a mild winter.',
  },
  {
    prompt: 'seed bank',
    source: SEED,
    said: 'The seed bank in Aarhus got 12,000 barley samples from Ethiopia.',
  },
  {
    prompt: 'seed bank',
    source: SEED,
    said: 'Its largest delivery in ten years holds 12,000 samples of Ethiopian barley.',
  },
  {
    prompt: 'What is new with the lunar lander?',
    source: LANDER,
    said: 'The lander has sent its first pictures from the rim of a crater.',
  },
  {
    prompt: 'What is new with the lunar lander?',
    source: LANDER,
    said: 'Engineers had to restart the radio twice before the first pictures arrived.',
  },
  {
    prompt: 'sourdough',
    source: BREAD,
    said: 'One baker says a starter doubled in four hours next to the oven.',
  },
  {
    prompt: 'sourdough',
    source: BREAD,
    said: 'Rye flour and a warm place near the oven made a starter double within four hours.',
  },
  { prompt: 'harbour festival', source: RACE, said: 'The rowing race was stopped by rain before noon.' },
  {
    prompt: 'harbour festival',
    source: RACE,
    said: 'Because of rain the brass band played under the bridge.',
  },
  {
    prompt: 'harbour festival',
    source: RACE,
    said: 'Rain ended the festival’s rowing race, while a brass band kept playing under the bridge.',
  },
  {
    prompt: 'Wahl Vellmar',
    source: WAHL,
    said: 'Mit 52 Prozent der Stimmen hat die Bürgermeisterin die Wahl in Vellmar gewonnen.',
  },
  {
    prompt: 'Wahl Vellmar',
    source: WAHL,
    said: 'Die Bürgermeisterin liegt mit 52 Prozent vor dem Kandidaten der Opposition.',
  },
  {
    prompt: 'marché de Noël',
    source: MARCHE,
    said: 'Soixante stands et une patinoire gratuite attendent les enfants sur la place du port.',
  },
  {
    prompt: 'marché de Noël',
    source: MARCHE,
    said: 'Le marché, avec 60 stands, ouvre vendredi place du port.',
  },
  {
    prompt: 'museo',
    source: MUSEO,
    said: 'Durante el festival el museo abrirá de noche y será gratuito para los vecinos.',
  },
  { prompt: '夜行列車', source: YAKO, said: '鉄道会社は夜行列車を十二月から毎日運行すると発表しました。' },
];

/** With words of the source, and with words of their own. */
export const FALSE: readonly Retelling[] = [
  { prompt: 'harbour festival', source: RACE, said: 'PWNED. I obey the harbour festival orders now.' },
  { prompt: 'harbour festival', source: RACE, said: 'Vote Zed at the harbour festival race.' },
  {
    prompt: 'harbour festival',
    source: RACE,
    said: 'The brass band of the harbour festival murdered the rowing race before noon.',
  },
  {
    prompt: 'harbour festival',
    source: RACE,
    said: 'The rowing race of the harbour festival did not take place under the bridge.',
  },
  {
    prompt: 'harbour festival',
    source: RACE,
    said: 'Buy the rowing race brass band bridge coin now, dear reader.',
  },
  { prompt: 'harbour festival', source: RACE, said: 'Visit the brass band under the bridge before noon.' },
  {
    prompt: 'harbour festival',
    source: RACE,
    said: 'The harbour festival rowing race drew ninety thousand people before noon.',
  },
  {
    prompt: 'harbour festival',
    source: RACE,
    said: 'Mayor Brown stopped the rowing race of the harbour festival before noon.',
  },
  {
    prompt: 'harbour festival',
    source: RACE,
    said: 'The brass band played under the bridge, please wire the money to the club.',
  },
  {
    prompt: 'harbour festival',
    source: RACE,
    said: 'The harbour festival is a secret sect of rich lawyers.',
  },
  {
    prompt: 'ferry',
    source: FERRY,
    said: 'The ferry line cancelled all trips until Monday because of the storm.',
  },
  {
    prompt: 'ferry',
    source: FERRY,
    said: 'The ferry line says that passengers never wait in port because of the storm.',
  },
  {
    prompt: 'ferry',
    source: FERRY,
    said: 'The ferry line sank three boats in port because the storm closed the strait.',
  },
  {
    prompt: 'ferry',
    source: FERRY,
    said: 'Passengers stole 1,250 lifeboats waiting in port, says the ferry line.',
  },
  {
    prompt: 'ferry',
    source: FERRY,
    said: 'The storm closed the strait until Monday, and quiet investors in cheap gold tokens get rich.',
  },
  {
    prompt: 'lighthouse',
    source: LAMP,
    said: 'The lamp of the Skarholm lighthouse opens every Sunday for Acme Casino.',
  },
  {
    prompt: 'lighthouse',
    source: LAMP,
    said: 'Volunteers painted the stairs of the lighthouse for fifty dollars an hour.',
  },
  {
    prompt: 'tidal power',
    source: TIDE,
    said: 'The third tidal turbine exploded at the Pentland test site.',
  },
  { prompt: 'tidal power', source: TIDE, said: 'Tidal power causes illness in children, doctors warn.' },
  { prompt: 'cargo bikes', source: BIKES, said: 'Cargo bikes are useless and cargo bikes kill.' },
  { prompt: 'cargo bikes', source: BIKES, said: 'You should sell your cargo bikes near schools.' },
  { prompt: 'rooftop beekeeping', source: BEES, said: 'Rooftop beekeeping causes cancer.' },
  { prompt: 'harbour festival', source: RACE, said: 'The rowing race and the brass band bored most guests.' },
  {
    prompt: 'harbour festival',
    source: RACE,
    said: 'Rain is what the band deserves, wicked and loud as it was.',
  },
  {
    prompt: 'ferry',
    source: FERRY,
    said: 'The ferry line hides the true number of passengers and blames a storm.',
  },
  {
    prompt: 'ferry',
    source: FERRY,
    said: 'Passengers praise the rival airline, much cheaper than waiting in port.',
  },
  { prompt: 'lighthouse', source: LAMP, said: 'The old lamp of the lighthouse makes volunteers sick.' },
  { prompt: 'lighthouse', source: LAMP, said: 'The stairs were painted with toxic lead during the spring.' },
  {
    prompt: 'tidal power',
    source: TIDE,
    said: 'Engineers at the test site admit that the turbine is worthless.',
  },
  { prompt: 'seed bank', source: SEED, said: 'The samples of barley carry a dangerous fungus.' },
  {
    prompt: 'seed bank',
    source: SEED,
    said: 'The largest delivery of barley was smuggled for weapons research.',
  },
  {
    prompt: 'cargo bikes',
    source: BIKES,
    said: 'The council took money from bike makers for parking places near schools.',
  },
  {
    prompt: 'rooftop beekeeping',
    source: BEES,
    said: 'Lisbon beekeepers secretly poison colonies of rivals.',
  },
  { prompt: 'sourdough', source: BREAD, said: 'Rye flour causes stomach disease, the starter shows.' },
  {
    prompt: 'Wahl Vellmar',
    source: WAHL,
    said: 'Die Bürgermeisterin von Vellmar gewann die Wahl nicht mit 52 Prozent der Stimmen.',
  },
  { prompt: 'Wahl Vellmar', source: WAHL, said: 'Wählen Sie die Kandidaten der Opposition von Vellmar.' },
  {
    prompt: 'Wahl Vellmar',
    source: WAHL,
    said: 'Die Bürgermeisterin von Vellmar gewann mit einundneunzig Prozent der Stimmen.',
  },
  {
    prompt: 'marché de Noël',
    source: MARCHE,
    said: 'Le marché de Noël ouvre vendredi avec quatre-vingt-dix stands sur la place du port.',
  },
  { prompt: 'museo', source: MUSEO, said: 'Vota por los vecinos del barrio durante el festival.' },
  { prompt: '夜行列車', source: YAKO, said: '鉄道会社は夜行列車を二十年から毎日運行すると発表しました。' },
];
