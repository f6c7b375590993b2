/** How accids of guests of the viewers' page begin. An account may be registered with such a name; a guest never gets one that is taken. */
export const guestPrefix = 'guest-'
