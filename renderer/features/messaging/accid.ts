import { accidPattern } from '../../../contract/operations/messaging.ts'

const pattern = new RegExp(accidPattern)

/** Whether trimmed text is a valid accid. */
export const isAccid = (text: string): boolean => pattern.test(text.trim())
