/** What the recorder wrote, made readable: an entry of its own, for short commands and pages. */

export { Timeline, type TraceEntry, type TraceStep, timelineOf } from './timeline.js';
export { outcome, type TraceReportOptions, timelineLine, traceReport } from './traceReport.js';
