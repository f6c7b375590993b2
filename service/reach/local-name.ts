import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import makeMdns from 'multicast-dns'
import type { Clock } from '../../platform/clock.ts'
import { pause } from '../../platform/clock.ts'
import type { Log } from '../log.ts'
import { inBackground } from '../background.ts'
import { homeAddresses, type Interfaces } from './network.ts'

/** Name of this computer in its home network while it is announced. */
export const localName = 'sidestage.local'

/** How long others may answer that the name is theirs, in ms. */
const listenFor = 750
/** Lifetime of an answer, in s. */
const lifetime = 120
/** When a name that another computer has is tried again, in ms. */
const tryAgainEvery = 60_000
/** How often it is said on a network at most, and to who asks before taking the name, in ms (RFC 6762, 6). */
const sayEvery = 1_000
const sayToProbesEvery = 250
/** Port of whoever may answer (RFC 6762, 6). */
const mdnsPort = 5353

/** Makes what speaks mDNS on one network. */
export type MakeMdns = typeof makeMdns
type Mdns = ReturnType<MakeMdns>
interface Announcer {
  readonly address: string
  readonly network: string
  readonly mdns: Mdns
  saidAt: number
  /** What is to be said next. */
  next?: { readonly at: number; cancel(): void } | undefined
}

const answer = (address: string, ttl: number) => ({
  answers: [{ name: localName, type: 'A' as const, ttl, flush: true, data: address }],
})

/** Value of an IPv4 address, to compare. */
const valueOf = (address: string): number => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)

/**
 * Makes what announces the name; it is silent until `set(true)`. `changed` is called when the announcement ends or
 * begins by itself.
 */
export function createLocalName(options: {
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly changed: () => void
  readonly make?: MakeMdns
  readonly interfaces?: Interfaces
}) {
  const { clock, log, changed, make = makeMdns, interfaces = networkInterfaces } = options
  let announcers: Announcer[] = []
  let isAnnounced = false
  let wanted = ''
  /** Whether another answer is waited for, since this computer saw its name with another address. */
  let isDefending = false
  let cancel = (): void => undefined

  const stop = async (): Promise<void> => {
    cancel()
    const ended = announcers
    announcers = []
    for (const { next } of ended) next?.cancel()
    await Promise.all(
      ended.map(
        ({ address, mdns }) =>
          new Promise<void>((resolve) => {
            const leave = (): void => mdns.destroy(() => resolve())
            if (isAnnounced) mdns.respond(answer(address, 0), leave)
            else leave()
          }),
      ),
    )
    isAnnounced = false
    isDefending = false
  }
  /** Says it on one network as soon as it may be said again there, whatever others send. */
  const say = (one: Announcer, every = sayEvery): void => {
    const at = one.saidAt + every
    if (one.next && one.next.at <= at) return
    one.next?.cancel()
    const now = (): void => {
      one.next = undefined
      one.saidAt = clock.monotonic()
      if (isAnnounced) one.mdns.respond(answer(one.address, lifetime))
    }
    const wait = at - clock.monotonic()
    if (wait <= 0) now()
    else one.next = { at, cancel: clock.after(wait, now) }
  }
  /** Asks whose the name is; it is announced when nobody else answers in time. */
  const probe = async (): Promise<void> => {
    const mine = announcers
    // With the record that would be said, by which others know a probe.
    for (const { address: data, mdns } of mine)
      mdns.query({
        questions: [{ name: localName, type: 'A' }],
        authorities: [{ name: localName, type: 'A', ttl: lifetime, data }],
      })
    await pause(clock, listenFor)
    if (announcers !== mine || mine.length === 0) return
    isDefending = false
    const isNew = !isAnnounced
    isAnnounced = true
    for (const one of mine) say(one, sayToProbesEvery)
    if (isNew) changed()
  }
  /** Another computer has the name: it is tried again later. */
  const lost = async (): Promise<void> => {
    if (announcers.length === 0) return
    log.warn({ name: localName }, 'another computer has the local name')
    const was = isAnnounced
    await stop()
    cancel = clock.after(tryAgainEvery, () => inBackground(open(), log, 'announcing the local name again'))
    if (was) changed()
  }
  const isNear = (network: string, peer: string): boolean => {
    const address = ipaddr.process(peer)
    const [base, length] = ipaddr.parseCIDR(network)
    return address.kind() === base.kind() && address.match(base as never, length as never)
  }
  /**
   * The name was seen with another address. Whoever has it answers once more (RFC 6762, 9): a single packet takes
   * nothing away. Of two that both answer, the one with the higher address keeps it.
   */
  const contested = (own: readonly string[], other: string): void => {
    if (!isAnnounced) return inBackground(lost(), log, 'giving up the local name')
    if (isDefending) {
      const isHigher = own.some((address) => valueOf(address) > valueOf(other))
      return isHigher ? undefined : inBackground(lost(), log, 'giving up the local name')
    }
    isDefending = true
    inBackground(probe(), log, 'defending the local name')
  }
  const listen = (address: string, network: string): void => {
    const mdns = make({ interface: address, bind: '0.0.0.0' })
    const announcer: Announcer = { address, network, mdns, saidAt: -Infinity }
    // Such as an interface that is gone; the name is then not announced there.
    mdns.on('error', (error: Error) => log.warn({ err: error }, 'the local name cannot be announced'))
    mdns.on('warning', () => undefined)
    mdns.on('query', ({ questions = [], authorities = [] }, { address: peer }) => {
      const isAsked = questions.some(
        ({ name, type }) => name.toLowerCase() === localName && ['A', 'ANY'].includes(type as string),
      )
      if (isAnnounced && isAsked && announcers.includes(announcer) && isNear(network, peer))
        say(announcer, authorities.length > 0 ? sayToProbesEvery : sayEvery)
    })
    // What comes from elsewhere than this network says nothing of its names (RFC 6762, 11).
    mdns.on('response', ({ answers = [] }, { address: peer, port }) => {
      if (!announcers.includes(announcer) || port !== mdnsPort || !isNear(network, peer)) return
      const own = homeAddresses(interfaces)
      for (const one of answers) {
        if (one.type !== 'A' || one.name.toLowerCase() !== localName) continue
        const { ttl = lifetime, data } = one
        // Said by somebody else: this computer's own answers live longer.
        if (own.includes(data)) {
          if (isAnnounced && ttl < lifetime / 2) say(announcer)
        } else if (ttl !== 0) return contested(own, data)
      }
    })
    announcers.push(announcer)
  }
  const networksOf = (on: boolean) => {
    const home = new Set(on ? homeAddresses(interfaces) : [])
    return Object.values(interfaces())
      .flatMap((each) => each ?? [])
      .filter(({ address, cidr, family }) => family === 'IPv4' && cidr !== null && home.has(address))
  }
  const open = async (): Promise<void> => {
    for (const { address, cidr } of networksOf(wanted !== '')) listen(address, cidr!)
    if (announcers.length > 0) await probe()
  }

  return {
    /** The name while it is announced. */
    get name() {
      return isAnnounced ? localName : undefined
    },
    /** Announces it on the home networks of now, or ends that. */
    async set(on: boolean): Promise<void> {
      const id = networksOf(on)
        .map(({ cidr }) => cidr)
        .join(' ')
      if (id === wanted) return
      wanted = id
      await stop()
      if (wanted === id) await open()
    },
    close: () => {
      wanted = ''
      return stop()
    },
  }
}
