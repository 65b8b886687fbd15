import { answerMeasures } from './answerMeasures.js';

/** For `node --import`: a program that runs with it answers how much memory and processor time it uses. */
answerMeasures();
