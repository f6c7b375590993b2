import { z } from 'zod'

/** Parameter values in the form: texts, numbers, booleans, and lists of them. */
const scalar = z.union([z.string().max(200_000), z.number(), z.boolean()])
/** Parameters of a call by name. */
export const consoleParameters = z
  .record(z.string().min(1).max(64), z.union([scalar, z.array(scalar).max(1000)]))
  .refine((all) => Object.keys(all).length <= 64)

const Part = z.object({ name: z.string(), value: z.string() })

/** A call of the console and its answer, with every secret masked. */
export const ApiCall = z.object({
  path: z.string(),
  url: z.string(),
  /** Time in ms, and duration of the answer. */
  at: z.number(),
  milliseconds: z.number(),
  headers: z.array(Part),
  body: z.string(),
  /** The call as a shell command, which signs with `APP_SECRET`. */
  curl: z.string(),
  /** HTTP status. */
  status: z.number(),
  code: z.number().nullable(),
  /** Indented JSON, or the raw answer. */
  answer: z.string(),
  /** Violation of the contract. */
  fault: z.string().nullable(),
  /** The shown answer is truncated. */
  cut: z.boolean(),
})

export type ApiCall = z.infer<typeof ApiCall>
