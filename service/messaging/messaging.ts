import type { Server } from 'node:http'
import type { FastifyPluginCallback } from 'fastify'
import type { Applications } from '../applications.ts'
import type { Served } from '../http/dispatch.ts'
import type { Log } from '../log.ts'
import type { AddressGuard } from '../outbox/address-guard.ts'
import type { DeliveryKind, Outbox } from '../outbox/outbox.ts'
import type { Store } from '../storage/store.ts'
import { createCopies } from './copies/copies.ts'
import { copyOperations } from './copies/copy-operations.ts'

/** What messaging is made of. */
export interface MessagingOptions {
  readonly store: Store
  readonly applications: Applications
  /** Numbers of the applications served by this start. */
  readonly uids: readonly number[]
  readonly dataDir: string
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** A clock in ms that never jumps. */
  readonly monotonic: () => number
  /** Unguessable bytes. */
  readonly random: (bytes: number) => Buffer
  /** Calls after a while in ms; returns what takes it back. */
  readonly after: (ms: number, call: () => void) => () => void
  readonly log: Log
  /** Carries copies, as `copyDelivery` says, to addresses that the guard lets through. */
  readonly outbox: Pick<Outbox, 'put' | 'redirect' | 'drop'>
  readonly copyDelivery: DeliveryKind
  readonly guard: AddressGuard
  /** Receive address of the first application's copies from this start on; as it was when absent. */
  readonly copyUrl?: string | undefined
  /** Root of the media listener as it is reached now. */
  readonly mediaRoot: () => string
  /** Origins of pages that may open the link. */
  readonly origins: readonly string[]
}

/** Messaging of every application: operations for the api listener, routes and the client link for the media listener. */
export interface Messaging {
  readonly operations: readonly Served[]
  /** Routes of the media listener besides the pull streams. */
  readonly mediaRoutes: readonly FastifyPluginCallback[]
  /** Serves the client link on a server, before it is bound. */
  attachLink(server: Server): void
  /** Receive address of an application's copies. */
  copyUrl(uid: number): string | undefined
  /** Undoes everything in reverse order. */
  close(): Promise<void>
}

/** Builds messaging in the order of dependence; rejects when the store is broken, and leaves nothing behind. */
export async function createMessaging(options: MessagingOptions): Promise<Messaging> {
  const { store, log } = options
  const undo: (() => void | Promise<void>)[] = []
  const close = async (): Promise<void> => {
    for (let step = undo.pop(); step; step = undo.pop()) {
      try {
        await step()
      } catch (error) {
        log.error({ err: error }, 'a part of messaging did not close cleanly')
      }
    }
  }
  try {
    const copies = await createCopies({ store, outbox: options.outbox })
    if (options.copyUrl !== undefined) await copies.set(options.uids[0]!, { ...copies.target(options.uids[0]!), url: options.copyUrl })

    return {
      operations: copyOperations({ copies, delivery: options.copyDelivery, guard: options.guard, after: options.after }),
      copyUrl: (uid) => copies.target(uid).url,
      mediaRoutes: [],
      attachLink: () => undefined,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
