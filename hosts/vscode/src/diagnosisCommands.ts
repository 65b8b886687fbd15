/** Removes the files of dead companions, and runs the diagnosis again. */
export const removeDeadCommand = 'tandem.removeDeadFiles';

/** Copies a text; without an argument, the whole diagnosis. */
export const copyDiagnosisCommand = 'tandem.copyDiagnosis';
