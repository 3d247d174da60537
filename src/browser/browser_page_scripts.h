// What quarry itself runs in pages. In a world of its own, where it has the page's elements but not its
// JavaScript: nothing that the page has redefined can change what these do. An element that is named like
// something of the document or of a form still stands before it in any world, so those are asked for by what
// they are properties of.
#pragma once

#include <string_view>

namespace quarry::browser {

// The document as it stands, with open shadow roots in the places where they show, and without what is meant
// for browsers that run no scripts. Too long a document becomes null; one of which nothing has come yet
// becomes "", unless that is good enough.
inline constexpr std::string_view html_script = R"js((limit, takesNothing) => {
    const getter = (type, name) => {
        const get = Object.getOwnPropertyDescriptor(type.prototype, name).get;
        return node => get.call(node);
    };
    const all = selector => Document.prototype.querySelectorAll.call(document, selector);
    const rootOf = getter(Element, 'shadowRoot');
    const doctype = getter(Document, 'doctype')(document), top = getter(Document, 'documentElement')(document);
    const body = getter(Document, 'body')(document);
    const hasCome = getter(Document, 'readyState')(document) !== 'loading' || (body && getter(Node, 'firstChild')(body));
    if (!takesNothing && !(top && hasCome)) return '';
    for (const element of all('noscript')) element.remove();
    const type = doctype ? '<!DOCTYPE ' + doctype.name + '>' : '';
    let whole;
    let hasShadow = false;
    for (const element of all('*')) if (rootOf(element)) { hasShadow = true; break; }
    if (!hasShadow) {
        whole = top ? top.outerHTML : '';
    } else {
        const empty = new Set(['area','base','br','col','embed','hr','img','input','link','meta','source',
                               'track','wbr']);
        const escape = text => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
        const typeOf = getter(Node, 'nodeType'), parentOf = getter(Node, 'parentNode');
        const childrenOf = getter(Node, 'childNodes'), nameOf = getter(Element, 'localName');
        const attributesOf = getter(Element, 'attributes');
        const parts = [];
        const write = node => {
            if (typeOf(node) === Node.TEXT_NODE) {
                const parent = parentOf(node);
                const raw = parent instanceof Element && /^(script|style|textarea|title)$/.test(nameOf(parent));
                parts.push(raw ? node.data : escape(node.data));
            }
            if (typeOf(node) !== Node.ELEMENT_NODE) return;
            const name = nameOf(node);
            if (name === 'template') { parts.push(node.outerHTML); return; }
            if (name === 'slot' && node.getRootNode() instanceof ShadowRoot) {
                const shown = node.assignedNodes();
                for (const child of shown.length ? shown : childrenOf(node)) write(child);
                return;
            }
            parts.push('<' + name);
            for (const attribute of attributesOf(node))
                parts.push(' ' + attribute.name + '="' +
                           attribute.value.replace(/&/g, '&amp;').replace(/"/g, '&quot;') + '"');
            parts.push('>');
            if (empty.has(name)) return;
            const root = rootOf(node);
            for (const child of childrenOf(root || node))
                if (!(root && child instanceof HTMLStyleElement)) write(child);
            parts.push('</' + name + '>');
        };
        write(top);
        whole = parts.join('');
    }
    const html = type + whole;
    return html.length > limit ? null : html;
})js";

// Ends when nothing in the page has changed for a moment. A page that shows nothing yet is about to change:
// it is given some patience.
inline constexpr std::string_view quiet_script = R"js((quiet, longest, patience) => new Promise(resolve => {
    const begun = performance.now();
    const silent = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE']);
    const get = Object.getOwnPropertyDescriptor(Document.prototype, 'body').get;
    const body = () => get.call(document);
    // What is written without asking whether it can be seen, which would have the browser lay the page out.
    const hasManyWords = () => {
        const texts = Document.prototype.createTreeWalker.call(document, body(), NodeFilter.SHOW_TEXT);
        for (let letters = 0; letters < 200 && texts.nextNode();) {
            if (!silent.has(texts.currentNode.parentNode.nodeName)) letters += texts.currentNode.data.trim().length;
            if (letters >= 200) return true;
        }
        return false;
    };
    const showsNothing = () => !body() || (!hasManyWords() && body().innerText.trim() === '' &&
        !body().querySelector('img,svg,canvas,video,iframe,input'));
    let timer;
    const done = () => { observer.disconnect(); clearTimeout(timer); resolve(true); };
    const finish = () => {
        if (performance.now() - begun < patience && showsNothing()) timer = setTimeout(finish, quiet);
        else done();
    };
    const observer = new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(finish, quiet); });
    observer.observe(document, {childList: true, subtree: true, characterData: true});
    timer = setTimeout(finish, quiet);
    setTimeout(done, longest);
}))js";

// Whether there is such an element; throws if the selector is none.
inline constexpr std::string_view has_script =
    R"js((selector) => Document.prototype.querySelector.call(document, selector) !== null)js";

// Ends when there is such an element.
inline constexpr std::string_view appears_script = R"js((selector) => new Promise(resolve => {
    if (Document.prototype.querySelector.call(document, selector)) { resolve(true); return; }
    const observer = new MutationObserver(() => {
        if (Document.prototype.querySelector.call(document, selector)) { observer.disconnect(); resolve(true); }
    });
    observer.observe(document, {childList: true, subtree: true, attributes: true});
}))js";

// Where the elements are, in the page's own coordinates, after the first was brought into view.
inline constexpr std::string_view boxes_script = R"js((selector, most) => {
    const found = [...Document.prototype.querySelectorAll.call(document, selector)].slice(0, most);
    return found.map(element => {
        const box = element.getBoundingClientRect();
        return {x: box.left + scrollX, y: box.top + scrollY, width: box.width, height: box.height};
    });
})js";

// Where to click on an element, in the viewport; null if it has no place there.
inline constexpr std::string_view click_point_script = R"js((selector, index) => {
    const element = Document.prototype.querySelectorAll.call(document, selector)[index];
    if (!element) return null;
    element.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
    const box = element.getBoundingClientRect();
    if (box.width === 0 || box.height === 0) { element.click(); return {clicked: true}; }
    return {x: box.left + box.width / 2, y: box.top + box.height / 2};
})js";

inline constexpr std::string_view count_script =
    R"js((selector) => Document.prototype.querySelectorAll.call(document, selector).length)js";

inline constexpr std::string_view scroll_script = R"js((selector, up) => {
    const element = selector ? Document.prototype.querySelector.call(document, selector) :
        Object.getOwnPropertyDescriptor(Document.prototype, 'scrollingElement').get.call(document);
    if (!element) return false;
    const height = selector ? element.clientHeight : innerHeight;
    element.scrollBy({top: up ? -height : height, behavior: 'instant'});
    return true;
})js";

// Through the page once, so that what loads when it comes into view does, and back.
inline constexpr std::string_view walk_script = R"js((most) => new Promise(resolve => {
    let steps = 0;
    const step = () => {
        const before = scrollY;
        scrollBy({top: innerHeight, behavior: 'instant'});
        if (++steps < most && scrollY > before) { setTimeout(step, 30); return; }
        scrollTo({top: 0, behavior: 'instant'});
        setTimeout(() => resolve(steps), 30);
    };
    step();
}))js";

}  // namespace quarry::browser
