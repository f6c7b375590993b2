import { unusableWords } from '../../contract/certificate-fault.ts'
import { Server as SecureServer } from 'node:tls'
import type { FastifyPluginCallback } from 'fastify'
import type { Kysely } from 'kysely'
import { local } from '../../contract/operations/index.ts'
import type { LocalEvent } from '../../contract/local-events.ts'
import type { Clock } from '../../platform/clock.ts'
import { inBackground } from '../background.ts'
import type { Channels } from '../channels/channels.ts'
import type { Clients } from '../http/clients.ts'
import type { Served } from '../http/dispatch.ts'
import type { Listener, ServerTls } from '../http/listener.ts'
import type { Log } from '../log.ts'
import { isLoopback } from '../public-addresses.ts'
import { Refused } from '../refusal.ts'
import { SwitchFault } from '../switch-fault.ts'
import type { ServiceChoices } from '../../contract/service-process.ts'
import type { AskRouter } from './port-mapping.ts'
import type { HeldWrites } from '../storage/held-writes.ts'
import type { Tables } from '../storage/schema.ts'
import type { PageFiles } from '../watch/page-files.ts'
import type { DoorServers } from './doors.ts'
import { createKeptCertificate } from './kept-certificate.ts'
import { isOutside } from './network.ts'
import { createProbes } from './probes.ts'
import { reachOperations } from './reach-operations.ts'
import { reachWarnings } from './reach-warnings.ts'
import { createReachStore } from './reach-store.ts'
import { createReach } from './reach.ts'
import type { Told } from './told.ts'
import { visitRoutes } from './visit-routes.ts'
import { askRouterInThread } from './router-thread.ts'
import { createVisits, readVisitCookie } from './visits.ts'

/** Makes them; doors open with `start`. Rejects when a certificate of the command line cannot be used. */
export async function createReachParts(options: {
  readonly db: Kysely<Tables>
  readonly choices: Parameters<typeof createReach>[0]['choices'] &
    Pick<ServiceChoices, 'api'> & { readonly reach?: { readonly askRouter?: AskRouter } }
  readonly told: Told
  readonly clients: Pick<Clients, 'trust' | 'isTrusted' | 'untrustedProxy'>
  readonly listeners: { readonly port: (listener: 'api' | 'media' | 'rtmp') => number }
  readonly channels: Pick<Channels, 'get'>
  readonly uids: readonly number[]
  readonly events: { tell(uid: number, event: LocalEvent): void }
  readonly held: HeldWrites
  /** Whether a channel is turned off for everybody. */
  readonly isClosed: (cid: string) => boolean
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  readonly log: Log
}) {
  const { db, choices, listeners, channels, uids, events, isClosed, clock, random, log } = options
  const { askRouter = askRouterInThread } = choices.reach ?? {}
  const certificate = createKeptCertificate({ clock, log, changed: () => renewed() })
  const probes = createProbes({ clock, random })
  const reach = await createReach({
    ...options,
    port: listeners.port,
    askRouter,
    store: createReachStore(db),
    certificate,
    probes,
    changed() {
      warn()
      events.tell(uids[0]!, { type: 'reach', at: clock.now(), ...reach.facts() })
    },
  })
  const { certificateFile, keyFile } = reach.settings()
  if (certificateFile !== '' && keyFile !== '') await certificate.use({ certificateFile, keyFile })
  const isApiSecure = choices.tls !== undefined && !isLoopback(choices.api.host)
  if (choices.tls && certificate.fault) {
    certificate.close()
    throw new SwitchFault(
      `the certificate of --tls-cert and --tls-key cannot be used: ${unusableWords(certificate.fault)}`,
    )
  }
  let api: Listener | undefined
  let warned = new Set<string>()
  /** Says what is wrong of what is open and told, once until it changes. */
  const warn = (): void => {
    const [settings, addresses] = [reach.settings(), options.told.addresses(listeners.port)]
    const { doors } = reach.facts()
    const now = { choices, settings, addresses, port: listeners.port, doors, certificate: certificate.current }
    const warnings = reachWarnings(now).map((one) => ({ ...one, id: JSON.stringify(one) }))
    for (const { id, fields, sentence } of warnings) if (!warned.has(id)) log.warn(fields, sentence)
    warned = new Set(warnings.map(({ id }) => id))
  }
  const renewed = (): void => {
    if (isApiSecure && certificate.current && api?.server instanceof SecureServer)
      api.server.setSecureContext({ ...certificate.current, minVersion: 'TLSv1.2' })
    inBackground(reach.renew(), log, 'using a certificate')
  }
  const visits = createVisits({
    clock,
    random,
    told(uid, cid, facts, untrusted) {
      events.tell(uid, { type: 'visit', at: clock.now(), ...facts, steps: facts.steps.map((step) => ({ ...step })) })
      const isHere = facts.steps.some(({ name, state }) => name === 'page' && state === 'passed')
      if (facts.state === 'running' && facts.outside && isHere && channels.get(cid)) reach.visited(untrusted)
    },
  })

  return {
    operations: reachOperations({
      clock,
      reach,
      visits,
      isMain: (uid) => uid === uids[0],
      requireChannel(uid, cid) {
        const channel = channels.get(cid)
        if (!channel) throw new Refused(local.startVisit.unknown, 'there is no such channel')
        if (channel.row.uid !== uid)
          throw new Refused(local.startVisit.foreign, 'the channel belongs to another application')
      },
    }) satisfies Served[],
    /** Routes of the media side. */
    routes: (page: PageFiles | undefined): FastifyPluginCallback =>
      visitRoutes({
        visits,
        page,
        isOutside: (address) => isOutside(address, reach.own()),
        isLive: (cid) => channels.get(cid)?.since !== undefined,
        isClosed,
        probed: probes.arrived,
        untrustedProxy: options.clients.untrustedProxy,
        clock,
      }),
    /** Whether a visit that runs in this browser is of a channel: it may then watch. */
    isVisitor: (cookies: string | undefined, cid: string): boolean => visits.admits(readVisitCookie(cookies), cid),
    /** The certificate of the api listener; without one it is plain. */
    apiTls: (): ServerTls | undefined => (isApiSecure ? certificate.current : undefined),
    /** Ports of the doors that are open. */
    doorPorts: reach.doorPorts,
    /** Opens what is chosen. */
    async start(servers: DoorServers, apiListener: Listener) {
      api = apiListener
      await reach.start(servers)
    },
    /** Ends every connection that came through a door. */
    async close() {
      certificate.close()
      visits.close()
      await reach.close()
    },
  }
}
