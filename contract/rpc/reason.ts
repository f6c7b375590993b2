import { z } from 'zod'
import { reasons, type ReasonOf, type Topic } from '../catalogue/reasons.ts'

/** A reason of a topic; the page has its words. */
export const reasonSchema = <T extends Topic>(topic: T): z.ZodType<ReasonOf<T>> =>
  z.object({
    code: z.enum([...Object.keys(reasons[topic]), 'unknown']),
    params: z.record(z.string(), z.string()),
  }) as unknown as z.ZodType<ReasonOf<T>>
