import type { Reason, Topic } from '../../contract/catalogue/reasons.ts'

/** A reason in the page's language. */
export const sayReason = (
  t: (key: string, params: Reason['params']) => string,
  topic: Topic,
  { code, params }: Reason,
): string => t(`reason.${topic}.${code}`, params)
