/**
 * Sentences about sources, honest and false, that no rule was tuned on: written after the rules, and never used to change them.
 * `recorded` is a verdict as a careful model may give it, with mistakes in both directions. It was written by hand: no model
 * has given it, so that what it yields measures our rules around a verdict, and no model.
 */
import type { Verdict } from './fake-model.ts';

export type HeldOut = { source: string; prompt: string; said: string; recorded: Verdict };

const FLU =
  'The agency has confirmed 70 human cases of bird flu in the United States since April, almost all of them in workers of dairy and poultry farms. It sees no sign of sustained human-to-human spread and rates the risk to the public as low. Pasteurised milk from Ohio, Iowa and Texas is safe, it says.';
const GENE =
  'Casgevy, approved in December 2023, has a list price of $2.2m per patient in the United States and £1.65m in Britain. Two years later 60 patients had received an infusion, because collecting and editing the cells takes up to six months.';
const HEAT =
  'In a field trial of 742 homes, air-source heat pumps delivered an average seasonal COP of 2.80; below minus ten degrees it fell to 1.9. Owners of old houses reported noise as the most frequent complaint, at 17%.';
const CHESS =
  'Gukesh Dommaraju beat Ding Liren in the fourteenth and last game in Singapore and became the youngest undisputed world champion at 18, breaking a record that Garry Kasparov had held since 1985.';
const TIDE =
  'The lagoon at Swansea was rejected in 2018 because its electricity would have cost three times as much as that of Hinkley Point C. Sihwa in South Korea, with 254 MW, is the largest tidal plant in the world.';
const STORE =
  'Autovacuum starts on a table once the number of dead rows exceeds 50 plus 20% of its rows. On very large tables that is late, so many teams lower the scale factor to 1%.';

const of = (source: string, prompt: string) => (said: string, recorded: Verdict) => ({
  source,
  prompt,
  said,
  recorded,
});
const [flu, gene, heat, chess, tide, store] = [
  of(FLU, 'is bird flu spreading between humans'),
  of(GENE, 'what does casgevy cost'),
  of(HEAT, 'do heat pumps work in cold climates'),
  of(CHESS, 'who won the chess world championship'),
  of(TIDE, 'why is tidal power not used more'),
  of(STORE, 'postgres autovacuum settings'),
];

export const HELD_OUT_HONEST: readonly HeldOut[] = [
  flu('There is no evidence that the virus passes easily from person to person.', 'yes'),
  flu('Nearly all of the 70 people infected since April worked on dairy or poultry farms.', 'yes'),
  flu('For the general public the danger is considered low.', 'yes'),
  flu('Milk that was pasteurised can be drunk without concern, according to the agency.', 'yes'),
  gene('The treatment costs £1.65 million in Britain and $2.2 million in the US.', 'yes'),
  gene('Only 60 people had been treated two years after approval.', 'yes'),
  gene('Preparing the cells can last half a year, which slows the rollout.', 'partly'),
  heat('On average, the heat pumps gave 2.8 units of heat for each unit of electricity.', 'yes'),
  heat('Efficiency dropped to 1.9 in severe frost.', 'yes'),
  heat('Noise was what people in older homes complained about most often.', 'yes'),
  chess('The new champion is 18-year-old Gukesh Dommaraju of the match in Singapore.', 'yes'),
  chess('He won the decisive fourteenth game against Ding Liren.', 'yes'),
  chess('No undisputed champion has ever been younger.', 'yes'),
  tide('Swansea’s lagoon was turned down because its power would have been far too expensive.', 'yes'),
  tide('The biggest tidal station is in South Korea and has a capacity of 254 megawatts.', 'yes'),
  tide('Its price per unit was triple that of a planned nuclear station.', 'partly'),
  store('By default the threshold is a fifth of the table plus 50 dead rows.', 'yes'),
  store('For huge tables people reduce the scale factor to 1% so that cleaning begins sooner.', 'yes'),
  store('The default comes too late when a table is very large.', 'yes'),
  store('Dead rows are what the trigger counts.', 'yes'),
];

export const HELD_OUT_FALSE: readonly HeldOut[] = [
  flu('Bird flu is now spreading between humans in Ohio.', 'no'),
  flu('Pasteurised milk from Ohio, Iowa and Texas makes people sick.', 'no'),
  flu('The agency rates the risk to the public as high.', 'no'),
  flu('Almost all of the human cases were in hospital workers.', 'no'),
  gene('Casgevy is free of charge for patients in Britain.', 'no'),
  gene('The list price in the United States is £1.65m.', 'no'),
  gene('60 patients died after an infusion.', 'no'),
  gene('Collecting the cells takes six years.', 'no'),
  heat('In a field trial 17% of heat pumps caught fire.', 'no'),
  heat('Heat pumps stop working below minus ten degrees.', 'no'),
  heat('The average seasonal COP rose to 2.80 below minus ten degrees.', 'yes'),
  chess('Ding Liren was the youngest world champion, at the age of 18.', 'no'),
  chess('Gukesh lost the fourteenth and last game in Singapore.', 'no'),
  chess('Garry Kasparov beat Gukesh Dommaraju in Singapore.', 'no'),
  tide('The lagoon at Swansea is the largest tidal plant in the world.', 'no'),
  tide('Sihwa was rejected in 2018 because of its cost.', 'no'),
  tide('Electricity of the lagoon would have been three times cheaper than that of Hinkley Point C.', 'no'),
  store('Autovacuum starts once 20 dead rows exist.', 'no'),
  store('Many teams raise the scale factor to 20% on very large tables.', 'no'),
  store('Autovacuum deletes 1% of the rows of large tables.', 'no'),
];
