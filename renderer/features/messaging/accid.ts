import { accidPattern } from '../../../contract/operations/messaging.ts'

const pattern = new RegExp(accidPattern)

/** Whether a text can be the name of an account, but for what is left out at its ends. */
export const isAccid = (text: string): boolean => pattern.test(text.trim())
