/**
 * Why agents do not connect. A separate entry, because companions and short commands load it only on request. It is in
 * this package, not in its own, because it needs exactly what this package may import.
 */

export { type DiagnoseOptions, diagnose } from './diagnose.js';
export { commandOnPath } from './programs.js';
export { type AgentReport, type DoctorReport, doctorReport, type Finding, finding } from './report.js';
export { type WindowCure, windowCure } from './windowCure.js';
