import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import makeMdns from 'multicast-dns'
import type { Clock } from '../../platform/clock.ts'
import { pause } from '../../platform/clock.ts'
import type { Log } from '../log.ts'
import { homeAddresses } from './network.ts'

/** Name of this computer in its home network while it is announced. */
export const localName = 'sidestage.local'

/** How long others may answer that the name is theirs, in ms. */
const listenFor = 750
/** Lifetime of an answer, in s. */
const lifetime = 120

type Mdns = ReturnType<typeof makeMdns>
interface Announcer {
  readonly address: string
  readonly network: string
  readonly mdns: Mdns
}

const answer = (address: string, ttl: number) => ({
  answers: [{ name: localName, type: 'A' as const, ttl, flush: true, data: address }],
})

/** Makes what announces the name; it is silent until `set(true)`. `changed` is called when that ends by itself. */
export function createLocalName(options: {
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly changed: () => void
}) {
  const { clock, log, changed } = options
  let announcers: Announcer[] = []
  let isAnnounced = false
  let wanted = ''

  const stop = async (): Promise<void> => {
    const ended = announcers
    announcers = []
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
  }
  /** Another computer has the name. */
  const lost = (): void => {
    if (announcers.length === 0) return
    log.warn({ name: localName }, 'another computer has the local name')
    const was = isAnnounced
    stop().then(
      () => was && changed(),
      (error: unknown) => log.warn({ err: error }, 'the local name was not taken back'),
    )
  }
  const isNear = (network: string, peer: string): boolean => {
    const address = ipaddr.process(peer)
    const [base, length] = ipaddr.parseCIDR(network)
    return address.kind() === base.kind() && address.match(base as never, length as never)
  }
  const open = (address: string, network: string): void => {
    const mdns = makeMdns({ interface: address, bind: '0.0.0.0' })
    const announcer = { address, network, mdns }
    // Such as an interface that is gone; the name is then not announced there.
    mdns.on('error', (error: Error) => log.warn({ err: error }, 'the local name cannot be announced'))
    mdns.on('warning', () => undefined)
    mdns.on('query', ({ questions = [] }, { address: peer }) => {
      const isAsked = questions.some(
        ({ name, type }) => name.toLowerCase() === localName && ['A', 'ANY'].includes(type as string),
      )
      if (isAnnounced && isAsked && isNear(network, peer)) mdns.respond(answer(address, lifetime))
    })
    mdns.on('response', ({ answers = [] }) => {
      const own = homeAddresses()
      for (const one of answers)
        if (one.type === 'A' && one.name.toLowerCase() === localName && one.ttl !== 0 && !own.includes(one.data))
          return lost()
    })
    announcers.push(announcer)
  }

  return {
    /** The name while it is announced. */
    get name() {
      return isAnnounced ? localName : undefined
    },
    /** Announces it on the home networks of now, or ends that. */
    async set(on: boolean): Promise<void> {
      const home = new Set(on ? homeAddresses() : [])
      const networks = Object.values(networkInterfaces())
        .flatMap((each) => each ?? [])
        .filter(({ address, cidr, family }) => family === 'IPv4' && cidr !== null && home.has(address))
      const id = networks.map(({ cidr }) => cidr).join(' ')
      if (id === wanted) return
      wanted = id
      await stop()
      for (const { address, cidr } of networks) open(address, cidr!)
      if (announcers.length === 0) return
      const mine = announcers
      for (const { mdns } of mine) mdns.query({ questions: [{ name: localName, type: 'A' }] })
      await pause(clock, listenFor)
      if (announcers !== mine || mine.length === 0) return
      isAnnounced = true
      for (const { address, mdns } of mine) mdns.respond(answer(address, lifetime))
    },
    close: () => {
      wanted = ''
      return stop()
    },
  }
}
