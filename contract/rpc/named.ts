import { z } from 'zod'
import { isSeen } from '../seen-text.ts'

/** Refusal of an invisible text, for "Details". */
export const unseen = 'has nothing that can be seen'
/** A name that a person gives to something. */
export const named = (max: number) => z.string().min(1).max(max).refine(isSeen, unseen)
/** Whether a text is empty or visible. */
export const isNoneOrSeen = (text: unknown): boolean => typeof text !== 'string' || text === '' || isSeen(text)
