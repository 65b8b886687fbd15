import { configure } from '@testing-library/dom';
import { act } from 'react';

/** React renders before a test goes on: after each event and in each wait. */
configure({
  eventWrapper: (fire) => act(fire),
  asyncWrapper: async (wait) => {
    setActEnvironment(false);
    try {
      return await wait();
    } finally {
      setActEnvironment(true);
    }
  },
});

export function setActEnvironment(isOn: boolean): void {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: isOn });
}
