import { execFileSync, spawn, type ChildProcess } from 'node:child_process'

/** Computers of a test, each in a network namespace of its own, on one switch with this process. */
export interface Apart {
  readonly addressOf: (host: string) => string
  /** Of this process there. */
  readonly own: string
  /** Starts a program in a host; it is killed with all. */
  start(host: string, command: readonly string[], options?: { readonly env?: NodeJS.ProcessEnv }): ChildProcess
  /** Pulls the plug of a host. */
  cut(host: string): void
  /** Lets nothing through between two hosts, without a word to either. */
  cutBetween(one: string, other: string): void
  /** Ends what was cut, everywhere. */
  mend(): void
  close(): void
}

/** Makes them; needs root on Linux with iproute2 and nftables, as `networkFault` of `e2e/network/hosts.ts` asks. */
export function createApart(hosts: readonly string[]): Apart {
  const prefix = `ss${process.pid}`
  const space = (host: string): string => `${prefix}-${host}`
  const [network, leg] = [`10.97.${process.pid % 250}`, `${prefix}l`]
  const own = `${network}.1`
  const addressOf = (host: string): string => `${network}.${10 + hosts.indexOf(host)}`
  const ip = (...args: readonly string[]): void => void execFileSync('ip', [...args], { stdio: 'pipe' })
  const quietly = (work: () => void): void => {
    try {
      work()
    } catch {
      // It is not there.
    }
  }
  const running = new Set<ChildProcess>()
  const cutHosts = new Set<string>()
  const filtered = new Set<string>()
  const close = (): void => {
    for (const child of running) quietly(() => void process.kill(-child.pid!, 'SIGKILL'))
    quietly(() => ip('link', 'del', leg))
    for (const host of ['switch', ...hosts]) quietly(() => ip('netns', 'del', space(host)))
  }
  try {
    ip('netns', 'add', space('switch'))
    ip('-n', space('switch'), 'link', 'add', 'switch', 'type', 'bridge')
    ip('-n', space('switch'), 'link', 'set', 'switch', 'up')
    const plug = (port: string): void => {
      ip('-n', space('switch'), 'link', 'set', port, 'master', 'switch')
      ip('-n', space('switch'), 'link', 'set', port, 'up')
    }
    for (const host of hosts) {
      ip('netns', 'add', space(host))
      ip('link', 'add', 'lan', 'netns', space(host), 'type', 'veth', 'peer', 'name', host, 'netns', space('switch'))
      plug(host)
      ip('-n', space(host), 'addr', 'add', `${addressOf(host)}/24`, 'dev', 'lan')
      for (const device of ['lan', 'lo']) ip('-n', space(host), 'link', 'set', device, 'up')
    }
    ip('link', 'add', leg, 'type', 'veth', 'peer', 'name', 'load', 'netns', space('switch'))
    plug('load')
    ip('addr', 'add', `${own}/24`, 'dev', leg)
    ip('link', 'set', leg, 'up')
  } catch (error) {
    close()
    throw error
  }
  const nft = (host: string, line: string): void => ip('netns', 'exec', space(host), 'nft', line)
  return {
    addressOf,
    own,
    start(host, command, { env } = {}) {
      const given = ['netns', 'exec', space(host), ...command]
      const child = spawn('ip', given, { detached: true, stdio: ['ignore', 'pipe', 'pipe'], ...(env && { env }) })
      running.add(child)
      child.once('exit', () => running.delete(child))
      return child
    },
    cut(host) {
      ip('-n', space('switch'), 'link', 'set', host, 'down')
      cutHosts.add(host)
    },
    cutBetween(one, other) {
      nft(one, 'add table ip cut')
      for (const [hook, of] of [
        ['input', 'saddr'],
        ['output', 'daddr'],
      ]) {
        nft(one, `add chain ip cut ${hook} { type filter hook ${hook} priority 0; }`)
        nft(one, `add rule ip cut ${hook} ip ${of} ${addressOf(other)} drop`)
      }
      filtered.add(one)
    },
    mend() {
      for (const host of cutHosts) ip('-n', space('switch'), 'link', 'set', host, 'up')
      for (const host of filtered) nft(host, 'delete table ip cut')
      cutHosts.clear()
      filtered.clear()
    },
    close,
  }
}
