import type { ApartCluster } from './apart-cluster.ts'

/** What was said in the room of a failure. */
export interface SaidLines {
  /** Acknowledged lines: when each was sent and acknowledged, by the monotonic clock in ms. */
  readonly acknowledged: ReadonlyMap<string, { readonly from: number; readonly to: number }>
  /** Lines of the history, the latest first. */
  readonly stored: readonly string[]
  /** Codes of calls that were refused. */
  readonly codes: readonly number[]
}

/** What a failure looks at beside the calls of all of them. */
export interface Watch {
  /** While the failure lasts, which it does until this is done. */
  during(): Promise<void>
  /** After all is well: what was not as it must be, and figures. */
  after(said: SaidLines): Promise<{ readonly faults: readonly string[]; readonly figures: Record<string, number> }>
  close(): Promise<void>
}

/** Begins it before there is load; what it watches is there then. */
export type StartWatch = (cluster: ApartCluster, roomid: number) => Promise<Watch>

/** Codes that a call may be refused with: of faults of the service, and of an empty queue. */
export const allowedCodes: readonly number[] = [404, 500]
