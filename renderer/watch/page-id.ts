import { randomId } from './random-id.ts'

/** Tells the service which player is of this page: a later one takes the place of an earlier one. */
export const pageId = randomId()
