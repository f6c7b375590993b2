import { z } from 'zod'
import { forPage } from './procedure.ts'

/** What the parts of a support bundle are about, in the order in which they are shown. */
export const SupportAbout = z.enum([
  'app',
  'settings',
  'profiles',
  'service',
  'serviceLog',
  'appLog',
  'listeners',
  'obs',
  'data',
  'keychain',
  'health',
])
/** What a part of a support bundle is about. */
export type SupportAbout = z.infer<typeof SupportAbout>

/** One file of a support bundle, as it is saved: secrets are out of it already. */
const SupportPart = z.object({
  about: SupportAbout,
  /** Its plain name within the bundle. */
  file: z.string(),
  text: z.string(),
  /** How many texts were taken out of it. */
  removed: z.number(),
  /** It was longer; of a log the older lines are left out. */
  cut: z.boolean(),
})
/** One file of a support bundle. */
export type SupportPart = z.infer<typeof SupportPart>

/** Everything that a support bundle holds; the page makes one file of exactly these texts, so what a person looks at is what is saved. */
const SupportBundle = z.object({
  /** When it was gathered, in ms. */
  made: z.number(),
  /** Name of the file, without its ending. */
  name: z.string(),
  parts: z.array(SupportPart),
})
/** Everything that a support bundle holds. */
export type SupportBundle = z.infer<typeof SupportBundle>

/** Procedures about asking somebody for help. */
export const supportProcedures = {
  /** Gathers what tells how the app is, without secrets. At most 256 KiB a part, nothing is stored or sent. */
  bundle: forPage.output(SupportBundle),
}
