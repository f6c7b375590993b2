const [, before = '', cid = ''] = /^(.*)\/(?:watch|embed)\/([^/]*)/.exec(location.pathname) ?? []

/** Of a proxy, or empty; precedes all paths of the service. */
export const root = before
/** The channel of the page's address. */
export const channel = cid
