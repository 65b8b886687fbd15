/** Formats the recorder's lines for readers. A separate entry, for short commands and pages. */

export { Timeline, type TraceEntry, type TraceStep, timelineOf } from './timeline.js';
export { outcome, type TraceReportOptions, timelineLine, traceReport } from './traceReport.js';
