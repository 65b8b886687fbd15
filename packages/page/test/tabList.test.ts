import { describe, expect, it } from 'vitest';
import { agentsTab, documentTab, reviewTab, TabList } from '../src/app/tabList.js';

const a = documentTab('/w/a.ts');
const b = documentTab('/w/b.ts');
const review = reviewTab('1');

function listOf(...tabs: readonly (typeof a)[]): TabList {
  const list = new TabList();
  for (const tab of tabs) list.add(tab);
  return list;
}

describe('TabList', () => {
  it('keeps the active tab when a tab is added', () => {
    const list = listOf(a);
    list.activate(a.key);
    list.add(b);
    expect(list.active).toEqual(a);
    expect(list.tabs).toEqual([a, b]);
  });

  it('adds a tab once', () => {
    expect(listOf(a, b, a).tabs).toEqual([a, b]);
  });

  it('puts a tab at the position of the one that it replaces', () => {
    const list = listOf(a, review, b);
    list.add(reviewTab('2'), { replaces: review.key });
    expect(list.tabs).toEqual([a, reviewTab('2'), b]);
  });

  it('activates the previously active tab when the active one is closed', () => {
    const list = listOf(a, b, agentsTab);
    for (const { key } of [a, agentsTab, b]) list.activate(key);
    list.remove(({ key }) => key === b.key);
    expect(list.active).toEqual(agentsTab);
    list.remove(({ key }) => key === agentsTab.key);
    expect(list.active).toEqual(a);
    list.remove(() => true);
    expect(list.active).toBeUndefined();
  });

  it('keeps the active tab when another one is closed', () => {
    const list = listOf(a, b);
    list.activate(b.key);
    list.remove(({ key }) => key === a.key);
    expect(list.active).toEqual(b);
  });

  it('goes around the ends', () => {
    const list = listOf(a, b, review);
    list.activate(review.key);
    expect(list.neighbour(1)).toEqual(a);
    list.activate(a.key);
    expect(list.neighbour(-1)).toEqual(review);
    expect(new TabList().neighbour(1)).toBeUndefined();
  });

  it('requests the focus only on demand, until the request is granted', () => {
    const list = listOf(a, b);
    list.activate(a.key);
    expect(list.state.getState().focusRequest).toBeUndefined();
    list.activate(b.key, { takesFocus: true });
    const focusRequest = list.state.getState().focusRequest;
    expect(focusRequest?.key).toBe(b.key);
    list.granted((focusRequest?.serial ?? 0) + 1);
    expect(list.state.getState().focusRequest).toBe(focusRequest);
    list.granted(focusRequest?.serial ?? 0);
    expect(list.state.getState().focusRequest).toBeUndefined();
  });
});
