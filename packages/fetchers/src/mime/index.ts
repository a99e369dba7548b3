export type { HeaderField, WellKnownFields } from './header-fields.ts'
export { htmlSection, htmlText } from './html-text.ts'
export { Message, type ReadMessageOptions, readMessage } from './message.ts'
export { MessagePart } from './part.ts'
