import { answerMeasures } from './answerMeasures.js';

/** For `node --import`: makes a program report its memory and processor time. */
answerMeasures();
