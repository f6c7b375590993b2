/** The notice that somebody came in. */
export const came = 301
/** The notice that somebody went. */
export const went = 302
/** The notice that somebody's name or picture is another one now. */
export const renamed = 316
/** Whether a notice says that the queue is another one now: changed, or emptied. */
export const isAboutQueue = (id: number): boolean => id === 317 || id === 320
/** Whether a notice says that somebody is something else now: blacklisted, muted, admin, member, or not. */
export const isAboutRoles = (id: number): boolean => (id >= 303 && id <= 310) || id === 314 || id === 315
