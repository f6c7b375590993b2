import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Hosts of the test network: a home behind a router, and the internet. `proxy` has a leg in both. */
export const hostNames = ['home', 'phone', 'router', 'stranger', 'proxy'] as const
/** One of them. */
export type HostName = (typeof hostNames)[number]

/** Their addresses; those of the internet are routable: routers forward nothing from reserved ranges. */
export const addresses = {
  home: '192.168.77.20',
  phone: '192.168.77.30',
  router: '192.168.77.1',
  routerOutside: '11.22.33.18',
  stranger: '11.22.33.50',
  proxy: '11.22.33.80',
  proxyInside: '192.168.77.80',
} as const

type Segment = 'lan' | 'wan'
const legs: readonly { host: HostName; segment: Segment; address: string; gateway?: string }[] = [
  { host: 'home', segment: 'lan', address: addresses.home, gateway: addresses.router },
  { host: 'phone', segment: 'lan', address: addresses.phone, gateway: addresses.router },
  { host: 'router', segment: 'lan', address: addresses.router },
  { host: 'router', segment: 'wan', address: addresses.routerOutside },
  { host: 'stranger', segment: 'wan', address: addresses.stranger, gateway: addresses.routerOutside },
  { host: 'proxy', segment: 'wan', address: addresses.proxy },
  { host: 'proxy', segment: 'lan', address: addresses.proxyInside },
]

/** By what a router is asked to forward a port. */
export type MappingProtocol = 'natpmp' | 'upnp'

/** A network of hosts in network namespaces; needs root on Linux with iproute2 and nftables. */
export interface Network {
  /** The command line that runs a command in a host. */
  readonly command: (host: HostName, command: readonly string[]) => string[]
  /** Starts a program in a host; it is killed with the network. */
  readonly start: (host: HostName, command: readonly string[], options?: { env?: NodeJS.ProcessEnv }) => ChildProcess
  /** Runs a command in a host to its end and answers what it wrote. Throws when it fails. */
  readonly run: (host: HostName, command: readonly string[]) => string
  /** A program that starts `program` in a host with its own arguments, for those who take a path: browsers. */
  readonly wrapper: (host: HostName, program: string) => string
  /** Starts the router's service of these protocols; resolves to what ends it when it listens. */
  readonly startPortMapper: (protocols?: readonly MappingProtocol[]) => Promise<() => Promise<void>>
  /** Open TCP ports of an address as another host sees them, of all 65,535. */
  readonly openPorts: (from: HostName, address: string) => number[]
  /** Ends every program and removes the hosts. */
  readonly close: () => void
}

/** Why no such network can be made here; undefined when it can. */
export function networkFault(): string | undefined {
  if (process.platform !== 'linux') return 'network namespaces are of Linux'
  if (process.getuid?.() !== 0) return 'network namespaces need root'
  const probe = `sidestage-probe-${process.pid}`
  try {
    execFileSync('ip', ['netns', 'add', probe], { stdio: 'pipe' })
    execFileSync('ip', ['netns', 'exec', probe, 'nft', 'add table ip nat'], { stdio: 'pipe' })
    return undefined
  } catch (error) {
    return `no network namespaces with NAT: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`
  } finally {
    try {
      execFileSync('ip', ['netns', 'del', probe], { stdio: 'pipe' })
    } catch {
      // It was not made.
    }
  }
}

/** The chains named after miniupnpd are where it puts what it forwards. */
const nat = `table inet nat {
  chain prerouting_miniupnpd {}
  chain postrouting_miniupnpd {}
  chain prerouting {
    type nat hook prerouting priority dstnat; policy accept;
    jump prerouting_miniupnpd
  }
  chain postrouting {
    type nat hook postrouting priority srcnat; policy accept;
    oifname "wan" masquerade
    jump postrouting_miniupnpd
  }
}
table inet filter {
  chain miniupnpd {}
  chain forward {
    type filter hook forward priority filter; policy drop;
    ct state established,related accept
    iifname "lan" accept
    ct status dnat accept
    jump miniupnpd
  }
}
`

/** Configuration of miniupnpd. */
const mapper = (leases: string, protocols: readonly MappingProtocol[]): string => `ext_ifname=wan
ext_ip=${addresses.routerOutside}
listening_ip=lan
enable_natpmp=${protocols.includes('natpmp') ? 'yes' : 'no'}
enable_upnp=${protocols.includes('upnp') ? 'yes' : 'no'}
secure_mode=yes
system_uptime=yes
min_lifetime=30
upnp_table_name=filter
upnp_nat_table_name=nat
upnp_forward_chain=miniupnpd
upnp_nat_chain=prerouting_miniupnpd
upnp_nat_postrouting_chain=postrouting_miniupnpd
lease_file=${leases}
uuid=5d3b4b43-0f4e-4e5e-9d0e-6a1c1a0b0c0d
allow 1024-65535 192.168.77.0/24 1024-65535
allow 443 192.168.77.0/24 1024-65535
deny 0-65535 0.0.0.0/0 0-65535
`

/** Makes the hosts, joined by two bridges, with the router between them. */
export function createNetwork(): Network {
  const prefix = `st${process.pid}-`
  const folder = mkdtempSync(join(tmpdir(), 'sidestage-network-'))
  const switchName = `${prefix}switch`
  const name = (host: HostName): string => prefix + host
  const running = new Set<ChildProcess>()
  const ip = (...words: string[]): string => execFileSync('ip', words, { encoding: 'utf8', stdio: 'pipe' })
  const inside = (space: string, ...words: string[]): string => ip('netns', 'exec', space, ...words)
  const command = (host: HostName, words: readonly string[]): string[] => ['ip', 'netns', 'exec', name(host), ...words]

  const close = (): void => {
    for (const child of running) child.kill('SIGKILL')
    for (const space of [...hostNames.map(name), switchName])
      try {
        for (const pid of ip('netns', 'pids', space).split('\n'))
          if (pid.trim() !== '') process.kill(Number(pid), 'SIGKILL')
        ip('netns', 'del', space)
      } catch {
        // It was not made, or a program has just ended.
      }
    rmSync(folder, { recursive: true, force: true })
  }

  try {
    ip('netns', 'add', switchName)
    for (const segment of ['lan', 'wan']) {
      ip('-n', switchName, 'link', 'add', segment, 'type', 'bridge', 'mcast_snooping', '0')
      ip('-n', switchName, 'link', 'set', segment, 'up')
    }
    for (const host of hostNames) {
      ip('netns', 'add', name(host))
      ip('-n', name(host), 'link', 'set', 'lo', 'up')
    }
    for (const [index, { host, segment, address, gateway }] of legs.entries()) {
      const port = `p${index}`
      ip('-n', name(host), 'link', 'add', segment, 'type', 'veth', 'peer', 'name', port, 'netns', switchName)
      ip('-n', switchName, 'link', 'set', port, 'master', segment, 'up')
      ip('-n', name(host), 'address', 'add', `${address}/24`, 'broadcast', '+', 'dev', segment)
      ip('-n', name(host), 'link', 'set', segment, 'up')
      if (gateway !== undefined) ip('-n', name(host), 'route', 'add', 'default', 'via', gateway)
    }
    inside(name('router'), 'sysctl', '-q', '-w', 'net.ipv4.ip_forward=1')
    const rules = join(folder, 'router.nft')
    writeFileSync(rules, nat)
    inside(name('router'), 'nft', '-f', rules)
  } catch (error) {
    close()
    throw error
  }

  const start: Network['start'] = (host, words, { env } = {}) => {
    const [program, ...more] = command(host, words)
    const child = spawn(program!, more, { stdio: ['pipe', 'pipe', 'pipe'], ...(env && { env }) })
    running.add(child)
    child.once('close', () => running.delete(child))
    return child
  }
  const run: Network['run'] = (host, words) => inside(name(host), ...words)

  return {
    command,
    start,
    run,
    wrapper(host, program) {
      const file = join(folder, `${host}-${program.split('/').at(-1)}`)
      writeFileSync(file, `#!/bin/sh\nexec ip netns exec ${name(host)} ${program} "$@"\n`, { mode: 0o755 })
      return file
    },
    async startPortMapper(protocols = ['natpmp', 'upnp']) {
      const file = join(folder, 'miniupnpd.conf')
      writeFileSync(file, mapper(join(folder, 'leases'), protocols))
      const child = start('router', ['miniupnpd', '-d', '-f', file, '-P', join(folder, 'miniupnpd.pid')])
      await new Promise<void>((resolve, reject) => {
        let said = ''
        const hear = (part: Buffer): void => {
          said += part.toString()
          if (said.includes(protocols.includes('upnp') ? 'HTTP listening' : 'Listening for NAT-PMP')) resolve()
        }
        child.stdout?.on('data', hear)
        child.stderr?.on('data', hear)
        child.once('close', () => reject(new Error(`the router's port mapper ended: ${said}`)))
      })
      const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
      return () => {
        child.kill('SIGTERM')
        return ended
      }
    },
    openPorts(from, address) {
      const found = run(from, ['nmap', '-n', '-Pn', '-p-', '--open', '-T5', '--max-retries', '2', '-oG', '-', address])
      return [...found.matchAll(/(\d+)\/open\/tcp/g)].map(([, port]) => Number(port)).sort((a, b) => a - b)
    },
    close,
  }
}
