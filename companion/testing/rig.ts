import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { MessageChannel } from 'node:worker_threads'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { ContractRouterClient } from '@orpc/contract'
import type { AppEvent, FailureData, Rpc } from '../../contract/rpc/index.ts'
import type { Credentials } from '../../contract/service-process.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Companion, CompanionPorts } from '../companion.ts'
import { createCompanion } from '../root.ts'
import { systemResolve } from '../relay/target.ts'
import { portLine, type PortLike } from '../lines/lines.ts'
import { sessionVault } from '../secrets/session-vault.ts'
import { nodeLauncher, type ServiceProcess } from '../supervisor/launcher.ts'

/** The real service's entry under a forked process. */
export const serviceEntry = fileURLToPath(new URL('../../service/child.ts', import.meta.url))

/** Waits until `look` gives something, or fails with what was waited for. */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | null | Promise<T | undefined | false | null>,
  patience = 150_000,
): Promise<T> {
  const end = performance.now() + patience
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false && found !== null) return found
    if (performance.now() > end) throw new Error(`waited ${patience} ms for ${what}`)
    await new Promise((resolve) => {
      setTimeout(resolve, 10)
    })
  }
}

/** A folder of its own that is removed again. */
export function scratch(): { dir: string; [Symbol.dispose](): void } {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'sidestage-test-'))
  return {
    dir,
    [Symbol.dispose]: () => {
      rmSync(dir, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** A page's side of the RPC, with the events that it has seen. */
export interface Page {
  readonly rpc: ContractRouterClient<Rpc>
  readonly events: AppEvent[]
  newest<K extends AppEvent['type']>(
    type: K,
    which?: (event: AppEvent & { type: K }) => boolean,
  ): (AppEvent & { type: K }) | undefined
  close(): void
}

/** Connects a page over a message port and follows its events. */
export function openPage(companion: Companion): Page {
  const { port1, port2 } = new MessageChannel()
  const line = companion.rpc.attach(portLine(port1 as unknown as PortLike))
  const rpc = createORPCClient<ContractRouterClient<Rpc>>(
    new RPCLink({ port: port2 as unknown as ConstructorParameters<typeof RPCLink>[0]['port'] }),
  )
  port2.start()
  const events: AppEvent[] = []
  const follow = async (): Promise<void> => {
    for await (const event of await rpc.app.events()) events.push(event)
  }
  follow().catch(() => undefined)
  return {
    rpc,
    events,
    newest: (type, which = () => true) =>
      events.findLast(
        (event): event is AppEvent & { type: typeof type } =>
          event.type === type && which(event as AppEvent & { type: typeof type }),
      ),
    close: () => {
      line.end()
      port2.close()
    },
  }
}

/** Waits until so much of a channel is written that its file will be kept: one under a second is dropped (behaviour.md#kept-and-dropped-files). */
export async function untilKept(page: Page, channel: string): Promise<void> {
  await until('a recording of some seconds', () =>
    page.newest(
      'recording',
      ({ cid, at, recording }) => cid === channel && recording.bytes > 30_000 && at - (recording.since ?? at) > 2_500,
    ),
  )
}

/** The failure that a procedure was answered with. */
export async function failureOf(work: Promise<unknown>): Promise<FailureData> {
  try {
    await work
  } catch (error) {
    const data = (error as { data?: unknown }).data
    if (typeof data === 'object' && data !== null && 'kind' in data) return data as FailureData
    throw error
  }
  throw new Error('the procedure succeeded')
}

/** A companion with a real service in a process of its own, on free ports. */
export interface Rig {
  readonly companion: Companion
  readonly page: Page
  readonly dataDir: string
  /** Every line that the companion logged. */
  readonly log: string[]
  /** Service processes in the order of their start. */
  readonly processes: ServiceProcess[]
  /** Credentials that the service was handed, in the order of its starts. */
  readonly handed: Credentials[]
  close(): Promise<void>
}

/** Starts a rig; `more` replaces single ports. */
export async function startRig(dataDir: string, more: Partial<CompanionPorts> = {}): Promise<Rig> {
  const log: string[] = []
  const processes: ServiceProcess[] = []
  const handed: Credentials[] = []
  const launch = nodeLauncher(serviceEntry)
  const free = { host: '127.0.0.1', port: 0 }
  const companion = await createCompanion({
    dataDir,
    vault: sessionVault({ kind: 'session', reason: 'chosen', detail: 'test' }),
    clock: systemClock,
    random: randomBytes,
    resolve: systemResolve,
    launch: () => {
      const made = launch()
      processes.push(made)
      return {
        ...made,
        send: (message) => {
          if (message.type === 'start') handed.push(message.credentials)
          made.send(message)
        },
      }
    },
    choices: { dataDir: path.join(dataDir, 'service'), api: free, media: free, rtmp: free },
    openLink: () => Promise.resolve(),
    log: (line) => {
      log.push(line)
    },
    about: {
      version: '0.0.0',
      shell: 'browser',
      platform: process.platform,
      capabilities: [],
      shellReason: () => null,
    },
    ...more,
  })
  const page = openPage(companion)
  return {
    companion,
    page,
    dataDir,
    log,
    processes,
    handed,
    close: async () => {
      page.close()
      await companion.close()
    },
  }
}
