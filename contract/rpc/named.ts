import { z } from 'zod'
import { isSeen } from '../seen-text.ts'

/** What a refused text is told to be, for "Details". */
export const unseen = 'has nothing that can be seen'
/** A text that somebody gives a thing to tell it by. */
export const named = (most: number) => z.string().min(1).max(most).refine(isSeen, unseen)
/** Whether a text is none, or has something that can be seen. */
export const isNoneOrSeen = (text: unknown): boolean => typeof text !== 'string' || text === '' || isSeen(text)
