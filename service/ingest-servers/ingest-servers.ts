import type { ListenerChoice } from '../../contract/service-process.ts'
import type { UndoStack } from '../../platform/undo-stack.ts'
import type { Hub } from '../hub/hub.ts'
import type { IngestHooks, openIngestHooks } from './ingest-hooks.ts'
import type { IngestServer } from './ingest-server.ts'
import { systemResolve } from '../outbox/system-resolve.ts'
import type { Resolve } from '../outbox/address-guard.ts'
import type { createIngestServers } from './reconciled-servers.ts'

/** Servers of other makes to which encoders push, and where they ask. */
export interface HooksChoice extends ListenerChoice {
  /** Root of the RTMP address to which they send pushes on; that of the service's own listener when absent. */
  readonly way?: string
  /** Those whose control API cuts off encoders. */
  readonly servers?: readonly IngestServer[]
  /** Between comparisons with what they have, in ms; 10 s when absent. */
  readonly every?: number
}

const closed: IngestHooks = { url: undefined, ports: () => [], close: () => Promise.resolve() }

type Options = Parameters<typeof openIngestHooks>[1] & Parameters<typeof createIngestServers>[0]

/** Opens the hooks, where they are asked for, and watches the servers. What undoes it goes to `undo`. */
export async function openIngestServers(
  choice: HooksChoice | undefined,
  options: Omit<Options, 'servers' | 'every' | 'hub' | 'way'> & {
    readonly hub: Pick<Hub, 'refused' | 'on'>
    /** Where the service's own RTMP is bound. */
    readonly listeners: { place(name: 'rtmp'): { readonly host: string; readonly port: number } }
    /** Looks up names; the system's when absent. */
    readonly resolve?: Resolve | undefined
    readonly undo: Pick<UndoStack, 'push'>
  },
): Promise<IngestHooks> {
  if (!choice) return closed
  // Few have such servers: the others read none of this.
  const [{ createWayOn }, { openIngestHooks }, { createIngestServers }] = await Promise.all([
    import('./way-on.ts'),
    import('./ingest-hooks.ts'),
    import('./reconciled-servers.ts'),
  ])
  const { hub, listeners, resolve = systemResolve, undo } = options
  const way = createWayOn({ ...options, way: choice.way, ownRtmp: () => listeners.place('rtmp'), resolve })
  const hooks = await openIngestHooks(choice, { ...options, way })
  undo.push(() => hooks.close())
  const servers = createIngestServers({ ...options, servers: choice.servers ?? [], every: choice.every })
  undo.push(() => servers.close())
  // What cuts the push that a server sent on leaves the encoder there.
  undo.push(
    hub.on(({ type, detail }) => {
      if (type === 'ended' && (detail === 'disabled' || detail === 'deleted')) servers.look()
    }),
  )
  return hooks
}
