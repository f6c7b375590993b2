/** Host of OBS: a name or IP address, without scheme, port or path. */
export const obsHost = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|[0-9a-fA-F:.]{2,45})$/
