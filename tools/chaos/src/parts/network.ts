import { execFileSync } from 'node:child_process';
import { networkInterfaces } from 'node:os';

/** Faults of the connection between the managements and one node. Connections of clients are left alone. */
export interface ControlLink {
  /** Lets nothing through in either direction: packets vanish. */
  cut(): void;
  /** Lets packets to the node through, and none back: calls arrive, their answers are lost. */
  loseAnswers(): void;
  /** Loses a share of all packets. */
  loseShare(share: number): void;
  /** Destroys the connections on the side of the managements while nothing gets through: the node believes that they live on. */
  leaveHalfOpen(): void;
  heal(): void;
}

/** Where a node runs: a network namespace of its own, or this machine where namespaces are not permitted. */
export interface Place {
  /** Address of the node. */
  readonly address: string;
  /** Address of this machine as the node sees it. */
  readonly host: string;
  /** The command that executes a program there. */
  readonly wrapper: readonly string[];
  /** Undefined where the network cannot be disturbed. */
  readonly link: ControlLink | undefined;
  /** Delays every packet to and from the node; undefined where the kernel lacks netem. */
  readonly delay: ((milliseconds: number) => void) | undefined;
  remove(): void;
}

const run = (command: string): string => {
  const [program = '', ...args] = command.split(' ');
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
};

/** Makes the place of a node whose API will listen on `apiPort`. `network` numbers it among all places of this machine. */
export function makePlace(network: number, apiPort: number): Place {
  const name = `rampart-chaos-${network}`;
  try {
    run(`ip netns add ${name}`);
  } catch {
    const nothing = { wrapper: [], link: undefined, delay: undefined, remove: () => undefined };
    return { address: '127.0.0.1', host: '127.0.0.1', ...nothing };
  }
  const own = ownAddress();
  const [host, address] = [own ?? `10.99.${network}.1`, `10.99.${network}.2`];
  const [outer, inner] = [`rc${network}h`, `rc${network}n`];
  run(`ip link add ${outer} type veth peer name ${inner}`);
  run(`ip link set ${inner} netns ${name}`);
  // Browsers of other tests abandon their requests when the machine gets or loses an address, even one that IPv6 gives to a link.
  run(`ip link set dev ${outer} addrgenmode none`);
  if (!own) run(`ip addr add ${host}/32 dev ${outer}`);
  run(`ip link set ${outer} up`);
  run(`ip route add ${address}/32 dev ${outer} src ${host}`);
  run(`ip -n ${name} addr add ${address}/32 dev ${inner}`);
  run(`ip -n ${name} link set ${inner} up`);
  run(`ip -n ${name} route add ${host}/32 dev ${inner} src ${address}`);
  run(`ip -n ${name} link set lo up`);
  const inside = `ip netns exec ${name}`;
  const drop = (chain: 'INPUT' | 'OUTPUT', match = '') => {
    const port = chain === 'INPUT' ? '--dport' : '--sport';
    run(`${inside} iptables -A ${chain} -p tcp ${port} ${apiPort}${match} -j DROP`);
  };
  const link: ControlLink = {
    cut: () => {
      drop('INPUT');
      drop('OUTPUT');
    },
    loseAnswers: () => drop('OUTPUT'),
    loseShare: (share) => {
      for (const chain of ['INPUT', 'OUTPUT'] as const)
        drop(chain, ` -m statistic --mode random --probability ${share}`);
    },
    leaveHalfOpen: () => {
      link.cut();
      run(`ss -K dst ${address} dport = ${apiPort}`);
    },
    heal: () => run(`${inside} iptables -F`),
  };
  return {
    address,
    host,
    wrapper: inside.split(' '),
    link: works(`${inside} iptables -L`) ? link : undefined,
    delay: works(`tc qdisc add dev ${outer} root netem delay 0ms`)
      ? (milliseconds) => void run(`tc qdisc change dev ${outer} root netem delay ${milliseconds}ms`)
      : undefined,
    remove: () => void works(`ip netns del ${name}`),
  };
}

/** An address that this machine has anyway. */
function ownAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
}

function works(command: string): boolean {
  try {
    run(command);
    return true;
  } catch {
    return false;
  }
}
