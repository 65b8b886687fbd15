/** Something that others wait for until it is opened, once. Node 20 has no `Promise.withResolvers`. */
export class Gate {
  /** Resolves when the gate is open. */
  readonly opened: Promise<void>;
  #open = (): void => {};

  constructor() {
    this.opened = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(): void {
    this.#open();
  }
}
