import { z } from 'zod'
import { forPage } from './procedure.ts'

/** Subjects of a support bundle's parts, in order. */
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
export type SupportAbout = z.infer<typeof SupportAbout>

const SupportPart = z.object({
  about: SupportAbout,
  /** File name within the bundle. */
  file: z.string(),
  text: z.string(),
  /** Number of removed texts. */
  removed: z.number(),
  /** Truncated; a log keeps its newest lines. */
  cut: z.boolean(),
})
/** A file of a support bundle, as saved: without secrets. */
export type SupportPart = z.infer<typeof SupportPart>

const SupportBundle = z.object({
  /** In ms. */
  made: z.number(),
  /** File name, without extension. */
  name: z.string(),
  parts: z.array(SupportPart),
})
/** The page saves exactly these texts, as shown to the user. */
export type SupportBundle = z.infer<typeof SupportBundle>

/** Procedures of support. */
export const supportProcedures = {
  bundle: forPage(
    "Collects the app's state, without secrets. At most 256 KiB per part; nothing is stored or sent.",
  ).output(SupportBundle),
}
