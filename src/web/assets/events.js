// @ts-check
/**
 * One event stream for all tabs of a browser, as a shared worker. Over HTTP/1.1 a browser opens six connections to a host, so
 * that tabs with a stream each block each other from the seventh on. The name of the worker is the address of the stream: the
 * sandbox has its own.
 */

/** Whether each tab is visible. @type {Map<MessagePort, boolean>} */
const tabs = new Map();
/** @type {EventSource | undefined} */
let stream;
/** The newest discovery that tabs have been sent, so that none is missed while no tab is visible. */
let newest = '';

/** @param {MessagePort} tab @param {object} message */
const send = (tab, message) => tab.postMessage(message, []);

/** Opens the stream while a tab is visible. */
const follow = () => {
  if (![...tabs.values()].includes(true)) {
    stream?.close();
    stream = undefined;
    return;
  }
  // A stream that was refused, as after signing out, stays closed.
  if (stream !== undefined && stream.readyState !== EventSource.CLOSED) return;
  stream = new EventSource(newest === '' ? self.name : `${self.name}?after=${newest}`);
  for (const kind of ['discovery', 'run'])
    stream.addEventListener(kind, (event) => {
      if (kind === 'discovery') newest = event.lastEventId;
      const { topic, search, first_in_topic: first } = JSON.parse(event.data);
      for (const tab of tabs.keys()) send(tab, { kind, id: newest, topic, search, first });
    });
};

addEventListener('connect', (event) => {
  const tab = /** @type {MessageEvent} */ (event).ports[0];
  if (tab === undefined) return;
  tab.addEventListener('message', ({ data: { seen, isVisible, isLeaving } }) => {
    if (isLeaving) tabs.delete(tab);
    else {
      if (newest === '') newest = seen;
      // What came since the server wrote the page was sent to the other tabs.
      if (!tabs.has(tab) && BigInt(seen) < BigInt(newest)) send(tab, { kind: 'missed' });
      tabs.set(tab, isVisible);
    }
    follow();
  });
  tab.start();
});
