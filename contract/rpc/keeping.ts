import { z } from 'zod'
import { forPage } from './procedure.ts'

/** Something that was set aside instead of being deleted or written over, in the app's own folder or in the service's data folder. */
export const SetAside = z.object({
  where: z.enum(['app', 'service']),
  id: z.string(),
  /** When, in ms. */
  at: z.number(),
  /**
   * `unknown`: nothing knows it; `unfinished`: half an upload; `damaged`: its content is wrong; `newer`: a newer version made it;
   * `notAFile`: something else was in its place; `unreadable`: it may not be read; `missing`: it was there before and is gone;
   * `replaced`: another one was put in its place.
   */
  reason: z.enum(['unknown', 'unfinished', 'damaged', 'newer', 'notAFile', 'unreadable', 'missing', 'replaced']),
  /** What was wrong, in words. */
  detail: z.string(),
  /** Where it was, relative to the folder; the first 20. */
  paths: z.array(z.string()),
  /** Files in all. */
  count: z.number(),
  bytes: z.number(),
  /** Somebody was told. */
  seen: z.boolean(),
  /** When it is thrown away, in ms. */
  until: z.number(),
})
export type SetAside = z.infer<typeof SetAside>

/** Everything that was set aside, newest first. */
export const KeptAside = z.object({
  entries: z.array(SetAside),
  /** Entries and bytes in all. */
  count: z.number(),
  bytes: z.number(),
  /** The service's part is not known while it does not run. */
  service: z.boolean(),
})
export type KeptAside = z.infer<typeof KeptAside>

const one = z.strictObject({ where: z.enum(['app', 'service']), id: z.string().min(1).max(64) })

/** What was set aside. */
export const keepingProcedures = {
  list: forPage.output(KeptAside),
  /** Puts an entry back into its place; paths whose place is taken stay. */
  restore: forPage.input(one).output(z.object({ restored: z.number(), taken: z.array(z.string()) })),
  /** Deletes an entry before its time. */
  remove: forPage.input(one).output(z.void()),
  /** Notes that a person was told of everything that is there now. */
  seen: forPage.output(z.void()),
}
