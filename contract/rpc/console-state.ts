import { z } from 'zod'

/** Values of a call's parameters as the form has them: texts, numbers, truth values, and lists of them. */
const scalar = z.union([z.string().max(200_000), z.number(), z.boolean()])
/** Parameters of a call by name. */
export const consoleParameters = z
  .record(z.string().min(1).max(64), z.union([scalar, z.array(scalar).max(1000)]))
  .refine((all) => Object.keys(all).length <= 64)

const Part = z.object({ name: z.string(), value: z.string() })

/** One call of the console as it went out and what came back, with every secret masked. */
export const ApiCall = z.object({
  path: z.string(),
  url: z.string(),
  /** When it was sent, in ms, and how long the answer took. */
  at: z.number(),
  milliseconds: z.number(),
  headers: z.array(Part),
  body: z.string(),
  /** The same call for a shell, which signs with `APP_SECRET` of its own. */
  curl: z.string(),
  /** HTTP status. */
  status: z.number(),
  /** Result code; null where the answer has none. */
  code: z.number().nullable(),
  /** The answer as indented JSON, or as it came. */
  answer: z.string(),
  /** What breaks the contract in it, in words. */
  fault: z.string().nullable(),
  /** The answer is longer than what is shown. */
  cut: z.boolean(),
})

/** One call of the console. */
export type ApiCall = z.infer<typeof ApiCall>
