/**
 * The built-in topics. To add one, append it: the order decides the number in its posts' ids, so a topic
 * that is moved or removed gives the ones behind it new ids.
 */
import type { Topic } from './topic.ts';
import {
  harbourFestival,
  tidalPower,
  lighthouseRestoration,
  ferryStrike,
  reefNursery,
  riverOtters,
  dikeRepair,
} from './topics/water.ts';
import { nightTrains, cargoBikes, airshipLine, cableCar, streetTrams } from './topics/travel.ts';
import { lunarLander, cometTove, auroraWatch, balloonTelescope, stormElke } from './topics/sky.ts';
import { sourdough, wildMushrooms, coffeeHarvest, schoolKitchens, olivePress } from './topics/food.ts';
import { seedBank, cityBees, wolfReturn, storkNest, peatBog, owlCensus } from './topics/nature.ts';
import { harbourMarathon, chessOpen, oskRovers, kiteLeague } from './topics/play.ts';
import { filmWeek, museumTheft, folkChoir, radioDrama } from './topics/arts.ts';
import { kestrelRelease, batteryRecall, paperPhone } from './topics/machines.ts';
import { libraryNights } from './topics/town.ts';

export const TOPICS: readonly Topic[] = [
  harbourFestival,
  lunarLander,
  sourdough,
  nightTrains,
  tidalPower,
  cargoBikes,
  seedBank,
  lighthouseRestoration,
  ferryStrike,
  reefNursery,
  riverOtters,
  dikeRepair,
  airshipLine,
  cableCar,
  streetTrams,
  cometTove,
  auroraWatch,
  balloonTelescope,
  stormElke,
  wildMushrooms,
  coffeeHarvest,
  schoolKitchens,
  olivePress,
  cityBees,
  wolfReturn,
  storkNest,
  peatBog,
  owlCensus,
  harbourMarathon,
  chessOpen,
  oskRovers,
  kiteLeague,
  filmWeek,
  museumTheft,
  folkChoir,
  radioDrama,
  kestrelRelease,
  batteryRecall,
  paperPhone,
  libraryNights,
];
