import { silentLogger, systemClock } from '@tandem/core';
import { describe, expect, test } from 'vitest';
import { TraceBuffer } from '../src/trace/traceBuffer.js';

describe('the trace', () => {
  test('keeps the last thousand lines', () => {
    const trace = new TraceBuffer(systemClock, silentLogger);
    for (let number = 0; number < 1500; number++) trace.write(String(number));
    expect([trace.lines.length, trace.lines[0], trace.lines.at(-1)]).toEqual([1000, '500', '1499']);
  });

  test('keeps fewer lines if they are large, and always the last one', () => {
    const trace = new TraceBuffer(systemClock, silentLogger);
    for (let number = 0; number < 10; number++) trace.write('x'.repeat(1024 * 1024));
    expect(trace.lines).toHaveLength(4);
    trace.write('y'.repeat(10 * 1024 * 1024));
    expect(trace.lines.map((line) => line[0])).toEqual(['y']);
  });

  test('passes each new line to listeners', () => {
    const trace = new TraceBuffer(systemClock, silentLogger);
    const received: string[] = [];
    const listening = trace.onDidWrite((line) => received.push(line));
    trace.write('a');
    listening.dispose();
    trace.write('b');
    expect(received).toEqual(['a']);
  });
});
