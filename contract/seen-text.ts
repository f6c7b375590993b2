/** A character that is seen by itself: no space, control character, mark or filler. */
const seen = /[^\s\p{C}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Whether a text has anything that can be seen: who is to be told by a name, or to read something, needs that. */
export const isSeen = (text: string): boolean => seen.test(text)
