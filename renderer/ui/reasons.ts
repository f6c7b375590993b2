import type { Reason, Topic } from '../../contract/catalogue/reasons.ts'

/** Says a reason in the language of the page. */
export const sayReason = (
  t: (key: string, params: Reason['params']) => string,
  topic: Topic,
  { code, params }: Reason,
): string => t(`reason.${topic}.${code}`, params)
