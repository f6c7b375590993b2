import { z } from 'zod'
import { forPage } from './procedure.ts'

/** Something quarantined instead of deleted or overwritten, in the app's or the service's data folder. */
export const SetAside = z.object({
  where: z.enum(['app', 'service']),
  id: z.string(),
  /** In ms. */
  at: z.number(),
  /**
   * `unknown`: no record of it; `unfinished`: a partial upload; `damaged`: invalid content; `newer`: from a newer
   * version; `notAFile`: something else in its place; `unreadable`: no permission; `missing`: it was there before;
   * `replaced`: by a copy.
   */
  reason: z.enum(['unknown', 'unfinished', 'damaged', 'newer', 'notAFile', 'unreadable', 'missing', 'replaced']),
  /** What was wrong. */
  detail: z.string(),
  /** Original paths relative to the folder; the first 20. */
  paths: z.array(z.string()),
  /** Number of files. */
  count: z.number(),
  bytes: z.number(),
  /** The user was told. */
  seen: z.boolean(),
  /** Time of deletion, in ms. */
  until: z.number(),
})
export type SetAside = z.infer<typeof SetAside>

/** The quarantine, newest first. */
export const KeptAside = z.object({
  entries: z.array(SetAside),
  /** Entries and bytes in all. */
  count: z.number(),
  bytes: z.number(),
  /** False while the service, and so its part, is unavailable. */
  service: z.boolean(),
})
export type KeptAside = z.infer<typeof KeptAside>

const one = z.strictObject({ where: z.enum(['app', 'service']), id: z.string().min(1).max(64) })

/** Procedures of the quarantine. */
export const keepingProcedures = {
  list: forPage('Everything that was set aside.').output(KeptAside),
  restore: forPage('Restores an entry; paths whose place is taken stay.')
    .input(one)
    .output(z.object({ restored: z.number(), taken: z.array(z.string()) })),
  remove: forPage('Deletes an entry early.').input(one).output(z.void()),
  seen: forPage('Records that the user was told of all present entries.').output(z.void()),
}
