/**
 * Why agents do not connect: an entry of its own, because neither a companion nor a short command loads it before
 * somebody asks. In this package and not one of its own, since it needs just what this one may import.
 */

export { type DiagnoseOptions, diagnose } from './diagnose.js';
export { type AgentReport, type DoctorReport, doctorReport, type Finding, finding } from './report.js';
export { type WindowCure, windowCure } from './windowCure.js';
