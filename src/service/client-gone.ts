/** The client closed its connection before the answer was finished: nobody is there to be answered. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
  constructor() {
    super('the client closed the connection');
  }
}
