/** A mail server on loopback, written from RFC 5321, 3207 and 4954: it records mails, and fails at a command as instructed. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { TLSSocket, type TLSSocketOptions } from 'node:tls';

export type Mail = {
  from: string;
  to: string[];
  /** As it was sent, without the dots of the transfer. */
  raw: string;
  /** As it was on the wire. */
  wire: string;
  secure: boolean;
  /** User and password; null without a login. */
  login: string | null;
};

type Command = 'connect' | 'ehlo' | 'starttls' | 'auth' | 'mail' | 'rcpt' | 'data' | 'mail-data' | 'quit';
/** A reply, or: `drop` closes the connection, `stall` never replies; `accept-and-drop` and `accept-and-stall` accept a mail without saying so. */
type Reaction = `${number}${string}` | 'hello' | 'drop' | 'stall' | 'accept-and-drop' | 'accept-and-stall';
export type Script = Partial<Record<Command, Reaction>> & {
  /** Replies to RCPT by address. */
  recipients?: Readonly<Record<string, string>>;
  /** The only login that is accepted, as `user:password`. */
  login?: string;
};

export type MailServer = {
  port: number;
  mails: Mail[];
  /** Commands as they came. */
  commands: string[];
  /** How it behaves from now on. */
  behaves(script: Script): void;
  /** The number of open connections. */
  open(): number;
  close(): Promise<void>;
};

type Options = { tls?: TLSSocketOptions; implicit?: boolean; host?: string };

export async function startMailServer({ tls, implicit, host }: Options = {}): Promise<MailServer> {
  const mails: Mail[] = [];
  const commands: string[] = [];
  const sockets = new Set<Socket>();
  let script: Script = {};
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    const secure = implicit === true ? new TLSSocket(socket, { isServer: true, ...tls }) : socket;
    converse(secure, { secure: implicit === true });
  });

  /** One session, from its greeting; STARTTLS begins another one inside. */
  function converse(socket: Socket, { secure, silent = false }: { secure: boolean; silent?: boolean }): void {
    const mail: Mail = { from: '', to: [], raw: '', wire: '', secure, login: null };
    let buffer = '';
    let isData = false;
    let isStopped = false;
    const say = (reply: string) => void socket.write(`${reply}\r\n`);
    /** @returns whether the usual reply follows */
    const react = (command: Command): boolean => {
      const reaction = script[command];
      if (reaction === undefined) return true;
      if (reaction === 'drop' || reaction === 'accept-and-drop') socket.destroy();
      else if (reaction === 'stall' || reaction === 'accept-and-stall') isStopped = true;
      else say(reaction);
      return false;
    };
    const endData = (wire: string) => {
      const raw = wire.replace(/^\./gm, '');
      const isTaken = script['mail-data'] === undefined || script['mail-data'].startsWith('accept-');
      if (isTaken) mails.push({ ...mail, to: [...mail.to], raw, wire });
      if (react('mail-data')) say('250 2.0.0 queued as 4711');
      mail.to = [];
    };
    const handle = (line: string) => {
      commands.push(line);
      const [verb = ''] = line.toUpperCase().split(/[ :]/);
      if (verb === 'EHLO') {
        const offers = ['SIZE 100000', 'AUTH PLAIN', ...(tls !== undefined && !secure ? ['STARTTLS'] : [])];
        if (react('ehlo'))
          say(
            ['localhost', ...offers]
              .map((offer, i) => `250${i === offers.length ? ' ' : '-'}${offer}`)
              .join('\r\n'),
          );
      } else if (verb === 'STARTTLS') {
        if (tls === undefined) return say('502 5.5.1 not offered');
        if (!react('starttls')) return;
        say('220 go ahead');
        isStopped = true;
        socket.removeAllListeners('data');
        converse(new TLSSocket(socket, { isServer: true, ...tls }), { secure: true, silent: true });
      } else if (verb === 'AUTH') {
        const [, user = '', password = ''] = Buffer.from(line.split(' ')[2] ?? '', 'base64')
          .toString()
          .split('\0');
        mail.login = `${user}:${password}`;
        if (!react('auth')) return;
        const isRight = script.login === undefined || script.login === mail.login;
        say(isRight ? '235 2.7.0 welcome' : `535 5.7.8 wrong password ${password} (${line})`);
      } else if (verb === 'MAIL') {
        mail.from = /<(.*?)>/.exec(line)?.[1] ?? '';
        if (react('mail')) say('250 2.1.0 fine');
      } else if (verb === 'RCPT') {
        const address = /<(.*?)>/.exec(line)?.[1] ?? '';
        const refusal = script.recipients?.[address];
        if (refusal !== undefined) return say(refusal);
        if (!react('rcpt')) return;
        mail.to.push(address);
        say('250 2.1.5 fine');
      } else if (verb === 'DATA') {
        if (!react('data')) return;
        isData = true;
        say('354 go on');
      } else if (verb === 'QUIT') {
        if (react('quit')) socket.end('221 2.0.0 bye\r\n');
      } else say('500 5.5.1 unknown command');
    };
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      buffer += chunk.toString('latin1');
      for (;;) {
        if (isStopped) return;
        const end = isData ? /(?:^|\r\n)\.\r\n/.exec(buffer) : /\r\n/.exec(buffer);
        if (end === null) return;
        const part = buffer.slice(0, end.index);
        buffer = buffer.slice(end.index + end[0].length);
        if (isData) {
          isData = false;
          endData(`${part}\r\n`);
        } else handle(part);
      }
    });
    if (!silent && react('connect')) say('220 localhost ESMTP');
  }

  server.listen(0, host ?? '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
  return {
    port,
    mails,
    commands,
    behaves: (next) => {
      script = next;
    },
    open: () => sockets.size,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
