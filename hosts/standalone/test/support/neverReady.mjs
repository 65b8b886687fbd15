import { Server } from 'node:net';

/** For `node --import`: a socket with a path never becomes ready, so a companion never completes its start. */
const { listen } = Server.prototype;
Server.prototype.listen = function (...args) {
  if (typeof args[0] !== 'string') return listen.apply(this, args);
  process.stderr.write('never ready\n');
  return this;
};
